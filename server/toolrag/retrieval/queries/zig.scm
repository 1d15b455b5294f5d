; Definitions. A type is a constant whose value is a container; a function that returns one holds its members.

(variable_declaration . (identifier) @name [
  (struct_declaration "{" @header.end)
  (enum_declaration "{" @header.end)
  (union_declaration "{" @header.end)
  (opaque_declaration "{" @header.end)]) @definition.class
(variable_declaration . (identifier) @name (error_set_declaration)) @definition.type
(variable_declaration . (identifier) @name) @definition.constant
(container_field name: (identifier) @name) @definition.field

(function_declaration name: (identifier) @name body: (_) @header.end) @definition.function
(function_declaration name: (identifier) @name !body) @definition.function
(test_declaration [(string) (identifier)] @name (block) @header.end) @definition.function

; References, by name only.

(call_expression function: [(identifier) @name (field_expression member: (identifier) @name)]) @reference.call

; Docs; those that begin with `//!` are about the file.

((comment) @comment (#not-match? @comment "^//!"))
