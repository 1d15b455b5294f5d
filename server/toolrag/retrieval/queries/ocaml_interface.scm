; What OCaml's interfaces have, and its modules too: `ocaml.scm` reads this first.

(value_specification [(value_name) (parenthesized_operator)] @name) @definition.function
(external (value_name) @name) @definition.function

(type_binding name: (_) @name) @definition.type
(type_definition . (type_binding) @inner .) @wrap
(field_declaration (field_name) @name) @definition.field
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(constructor_declaration (constructor_name) @name) @definition.field

(module_binding (module_name) @name "=" @header.end) @definition.module
(module_binding (module_name) @name) @definition.module
(module_definition . (module_binding) @inner .) @wrap
(module_type_definition (module_type_name) @name "=" @header.end) @definition.module
(module_type_definition (module_type_name) @name) @definition.module
(class_type_binding (class_type_name) @name) @definition.class
(method_specification (method_name) @name) @definition.method

(comment) @comment
