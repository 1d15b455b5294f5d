; Definitions.

(class_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(struct_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(interface_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(enum_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(record_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(record_declaration name: (identifier) @name !body) @definition.class
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name body: (_) @header.end) @definition.module
((file_scoped_namespace_declaration name: (_) @name ";" @header.end) @definition.module (#set! level "1"))

(method_declaration name: (identifier) @name body: (_) @header.end) @definition.method
(method_declaration name: (identifier) @name !body) @definition.method
(local_function_statement name: (identifier) @name body: (_) @header.end) @definition.function
(constructor_declaration name: (identifier) @name body: (_) @header.end) @definition.method
(destructor_declaration name: (identifier) @name body: (_) @header.end) @definition.method
(operator_declaration operator: _ @name body: (_) @header.end) @definition.method
(conversion_operator_declaration type: (_) @name body: (_) @header.end) @definition.method
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)] @header.end) @definition.method

(property_declaration name: (identifier) @name [
  (accessor_list) @header.end
  (arrow_expression_clause) @header.end]) @definition.field
(event_declaration name: (identifier) @name) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.field

; References, by name only.

(invocation_expression function: [
  (identifier) @name
  (generic_name (identifier) @name)
  (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)])
  (conditional_access_expression (member_binding_expression
    name: [(identifier) @name (generic_name (identifier) @name)]))]) @reference.call
(object_creation_expression type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name name: [(identifier) @name (generic_name (identifier) @name)])]) @reference.call
(attribute name: [(identifier) @name (qualified_name name: (identifier) @name)]) @reference.call

(base_list [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name name: [(identifier) @name (generic_name (identifier) @name)])]) @reference.base

; Docs and what stands before a definition.

(comment) @comment
(attribute_list) @attribute
