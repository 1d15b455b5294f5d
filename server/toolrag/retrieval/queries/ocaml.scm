; What OCaml's modules add to `ocaml_interface.scm`.

(value_definition (let_binding
  pattern: [(value_name) (parenthesized_operator)] @name
  (parameter)
  "=" @header.end) @definition.function)
(value_definition (let_binding
  pattern: (value_name) @name
  "=" @header.end
  body: [(fun_expression) (function_expression)]) @definition.function)
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(value_definition "let" . (let_binding) @inner .) @wrap

(class_binding (class_name) @name "=" @header.end) @definition.class
(class_definition . (class_binding) @inner .) @wrap
(method_definition (method_name) @name "=" @header.end) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; References, by name only.

(application_expression function: (value_path (value_name) @name)) @reference.call
(method_invocation (method_name) @name) @reference.call
(infix_expression operator: (rel_operator) right: (value_path (value_name) @name)) @reference.call
(inheritance_definition (class_path (class_name) @name)) @reference.base
