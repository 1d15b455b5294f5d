; Definitions.

(class_declaration name: (identifier) @name [(class_body) (enum_class_body)] @header.end) @definition.class
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body) @header.end) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(companion_object name: (identifier) @name) @definition.class
(companion_object "object" @name . (class_body) @header.end) @definition.class
(type_alias type: (identifier) @name) @definition.type

; An extension's container is the type it extends.
(function_declaration
  (user_type . (identifier) @scope)
  .
  name: (identifier) @name
  (function_body)? @header.end) @definition.function
(function_declaration name: (identifier) @name (function_body) @header.end) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name (block) @header.end) @definition.method
(secondary_constructor "constructor" @name) @definition.method

(source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.field)
(class_parameter ["val" "var"] . (identifier) @name) @definition.field
(enum_entry . (modifiers)? . (identifier) @name) @definition.field

; References, by name only.

(call_expression . [(identifier) @name (navigation_expression (identifier) @name .)]) @reference.call
(delegation_specifier [
  (user_type (identifier) @name .)
  (user_type (identifier) @name . (type_arguments))
  (constructor_invocation [
    (user_type (identifier) @name .)
    (user_type (identifier) @name . (type_arguments))])]) @reference.base

; Docs and what stands before a definition.

[(line_comment) (block_comment)] @comment
(annotation) @attribute
