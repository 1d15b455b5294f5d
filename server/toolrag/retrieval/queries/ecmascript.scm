; What JavaScript, TypeScript and TSX have in common. A callback in an argument is no symbol; a function in an object
; that has a name is one of its members.

; Definitions.

(class_declaration name: (_) @name body: (_) @header.end) @definition.class
(variable_declarator name: (identifier) @name value: (class body: (_) @header.end)) @definition.class

(function_declaration name: (identifier) @name body: (_) @header.end) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @header.end) @definition.function
(method_definition
  name: [(property_identifier) (private_property_identifier) (string) (computed_property_name)] @name
  body: (_) @header.end) @definition.method

(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function "=>" @header.end)
    (function_expression body: (_) @header.end)
    (generator_function body: (_) @header.end)]) @definition.function

; `export default function () {}`: its name is the one it is imported by.
(export_statement
  "default" @name
  value: [
    (arrow_function "=>" @header.end)
    (function_expression !name body: (_) @header.end)
    (class !name body: (_) @header.end)]) @definition.function
(export_statement
  "default" value: (function_expression name: (identifier) @name body: (_) @header.end)) @definition.function

; `exports.f = function () {}`, `A.f = …`, `A.prototype.f = …`.
(expression_statement
  (assignment_expression
    left: [
      (identifier) @name
      (member_expression
        object: [
          (identifier) @scope
          (member_expression object: (identifier) @scope property: (property_identifier) @_prototype)]
        property: (property_identifier) @name)]
    right: [
      (arrow_function "=>" @header.end)
      (function_expression body: (_) @header.end)
      (generator_function body: (_) @header.end)])
  (#not-match? @scope "^(module|exports|this|self|window|global|globalThis)$")
  (#match? @_prototype "^prototype$")) @definition.function
(expression_statement
  (assignment_expression
    left: (member_expression
      object: [(identifier) (member_expression) (this)] @_of
      property: (property_identifier) @name)
    right: [
      (arrow_function "=>" @header.end)
      (function_expression body: (_) @header.end)
      (generator_function body: (_) @header.end)])
  (#match? @_of "^(module\\.exports|exports|this|self|window|global|globalThis)$")) @definition.function

; Functions that are values in an object with a name.
(variable_declarator
  value: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function "=>" @header.end) (function_expression body: (_) @header.end)]) @definition.method))
(assignment_expression
  right: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function "=>" @header.end) (function_expression body: (_) @header.end)]) @definition.method))
(export_statement
  value: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function "=>" @header.end) (function_expression body: (_) @header.end)]) @definition.method))

; Constants of a module, exported or not; each name of `const {a, b: c} = …` and `const [a] = …`.
(program [
  (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant
  (variable_declaration (variable_declarator name: (identifier) @name)) @definition.constant
  (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.constant)
  (export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @definition.constant)])
(program [
  (lexical_declaration (variable_declarator name: [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)])
    (array_pattern (identifier) @name)])) @definition.constant
  (export_statement (lexical_declaration (variable_declarator name: [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)])
    (array_pattern (identifier) @name)])) @definition.constant)])

; A lone declarator is its whole statement, and an exported one begins at `export`.
(lexical_declaration . (variable_declarator) @inner .) @wrap
(variable_declaration . (variable_declarator) @inner .) @wrap
(export_statement declaration: (_) @inner) @wrap

; References, by name only.

(call_expression function: [
  (identifier) @name
  (member_expression property: [(property_identifier) (private_property_identifier)] @name)]) @reference.call
(new_expression constructor: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]) @reference.call
(decorator [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]) @reference.call

; Docs and what stands before a definition.

(comment) @comment
(decorator) @attribute
