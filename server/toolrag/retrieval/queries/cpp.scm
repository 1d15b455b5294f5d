; What C++ adds to `c.scm`. A name that is written `A::B::f` has `A.B` as its container.

(class_specifier
  name: [(type_identifier) (template_type) (qualified_identifier)] @name
  body: (_) @header.end) @definition.class
(struct_specifier name: [(template_type) (qualified_identifier)] @name body: (_) @header.end) @definition.class
(declaration type: (class_specifier body: (_)) @inner) @wrap
(namespace_definition
  name: [(namespace_identifier) (nested_namespace_specifier)] @name
  body: (_) @header.end) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
    (pointer_declarator declarator: [
      (function_declarator declarator: (qualified_identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier) @name))])
    (qualified_identifier name: (operator_cast)) @name]
  body: (_)? @header.end) @definition.method
(function_definition
  declarator: [
    (function_declarator declarator: [
      (identifier) (field_identifier) (destructor_name) (operator_name) (template_function)] @name)
    (reference_declarator (function_declarator declarator: [
      (identifier) (field_identifier) (operator_name) (template_function)] @name))
    (pointer_declarator declarator: [
      (function_declarator declarator: [(field_identifier) (operator_name) (template_function)] @name)
      (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))])
    (operator_cast) @name]
  body: (_)? @header.end
  (#not-match? @name "^([A-Z]+_)?TEST(_[A-Z_]+)?$")) @definition.function

; `TEST(Suite, name) {…}` and its like are the function `name` of Suite, `TEST(name) {…}` is `name`.
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (_) @scope)
      . (parameter_declaration type: (type_identifier) @name) .))
  body: (_) @header.end
  (#match? @_macro "^([A-Z]+_)?TEST(_[A-Z_]+)?$")) @definition.function
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name) .))
  body: (_) @header.end
  (#match? @_macro "^([A-Z]+_)?TEST(_[A-Z_]+)?$")) @definition.function

; Members that are declared here and defined elsewhere.
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (pointer_declarator declarator: [
    (function_declarator declarator: [(field_identifier) (operator_name)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))])
  ]) @definition.method
(declaration declarator: [
  (function_declarator declarator: [(destructor_name) (operator_name)] @name)
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))]) @definition.function
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @definition.field

(template_declaration [
  (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (alias_declaration)
  (concept_definition)] @inner) @wrap
(friend_declaration (function_definition) @inner) @wrap

; References, by name only.

(call_expression function: [
  (qualified_identifier name: [
    (identifier) @name
    (template_function name: (identifier) @name)
    (qualified_identifier name: [
      (identifier) @name
      (template_function name: (identifier) @name)
      (qualified_identifier name: [(identifier) @name (template_function name: (identifier) @name)])])])
  (template_function name: (identifier) @name)
  (field_expression field: (template_method name: (field_identifier) @name))]) @reference.call
(new_expression type: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: (type_identifier) @name)]) @reference.call

(base_class_clause [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: [(type_identifier) @name (template_type name: (type_identifier) @name)])])
  ]) @reference.base

(attribute_declaration) @attribute
