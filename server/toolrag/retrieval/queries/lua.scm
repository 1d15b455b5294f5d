; Definitions. What stands before the last dot or colon of a name is its container.

(function_declaration
  name: [(identifier) (dot_index_expression)] @name
  parameters: (_) @header.last) @definition.function
(function_declaration
  name: (method_index_expression) @name
  parameters: (_) @header.last) @definition.method
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition parameters: (_) @header.last)))) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name)
  (expression_list . value: (function_definition parameters: (_) @header.last))) @definition.function
(field
  name: [(identifier) (string)] @name
  value: (function_definition parameters: (_) @header.last)) @definition.method

(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.constant)
(chunk (assignment_statement
  (variable_list name: [(identifier) (dot_index_expression)] @name)) @definition.constant)

; References, by name only.

(function_call name: [
  (identifier) @name
  (dot_index_expression field: (identifier) @name)
  (method_index_expression method: (identifier) @name)]) @reference.call

(comment) @comment
