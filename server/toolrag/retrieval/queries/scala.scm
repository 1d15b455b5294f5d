; Definitions.

(class_definition name: (_) @name body: (_) @header.end) @definition.class
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name body: (_) @header.end) @definition.class
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name body: (_) @header.end) @definition.class
(trait_definition name: (_) @name) @definition.class
(enum_definition name: (_) @name body: (_) @header.end) @definition.class
(package_object name: (_) @name body: (_) @header.end) @definition.class
(given_definition name: (_) @name body: (_) @header.end) @definition.class
(given_definition name: (_) @name) @definition.class
(type_definition name: (type_identifier) @name) @definition.type

(function_definition name: (_) @name "=" @header.end body: (_)) @definition.function
(function_definition name: (_) @name body: (block) @header.end) @definition.function
(function_declaration name: (_) @name) @definition.function

(template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)
  (val_declaration name: (identifier) @name)
  (var_declaration name: (identifier) @name)] @definition.field)
(with_template_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)] @definition.field)
(enum_body [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)] @definition.field)
(compilation_unit [
  (val_definition pattern: (identifier) @name)
  (var_definition pattern: (identifier) @name)] @definition.constant)
(class_parameter ["val" "var"] . name: (identifier) @name) @definition.field
(simple_enum_case name: (identifier) @name) @definition.field
(full_enum_case name: (identifier) @name) @definition.field

; References, by name only.

(call_expression function: [
  (identifier) @name
  (field_expression field: (identifier) @name)
  (generic_function function: [
    (identifier) @name
    (field_expression field: (identifier) @name)])]) @reference.call
(instance_expression [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier (type_identifier) @name)]) @reference.call
(extends_clause [
  (type_identifier) @name
  (generic_type type: [(type_identifier) @name (stable_type_identifier (type_identifier) @name)])
  (stable_type_identifier (type_identifier) @name)]) @reference.base

; Docs and what stands before a definition.

[(comment) (block_comment)] @comment
(annotation) @attribute
