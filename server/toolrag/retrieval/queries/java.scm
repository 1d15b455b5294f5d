; Definitions.

(class_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(interface_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(enum_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(record_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(annotation_type_declaration name: (identifier) @name body: (_) @header.end) @definition.class

(method_declaration name: (identifier) @name body: (_) @header.end) @definition.method
(method_declaration name: (identifier) @name !body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @header.end) @definition.method
(compact_constructor_declaration name: (identifier) @name body: (_) @header.end) @definition.method

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(enum_constant name: (identifier) @name) @definition.field

; References, by name only.

(method_invocation name: (identifier) @name) @reference.call
(object_creation_expression type: [
  (type_identifier) @name
  (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])
  (scoped_type_identifier (type_identifier) @name .)]) @reference.call
(method_reference (identifier) @name .) @reference.call

(superclass [
  (type_identifier) @name
  (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])
  (scoped_type_identifier (type_identifier) @name .)]) @reference.base
(type_list [
  (type_identifier) @name
  (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])
  (scoped_type_identifier (type_identifier) @name .)]) @reference.base

; Docs and what stands before a definition.

[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @attribute
