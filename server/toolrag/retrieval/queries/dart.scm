; Definitions. A function's body stands beside its signature, and what declares a variable's type before it.

(class_definition name: (identifier) @name body: (_) @header.end) @definition.class
(mixin_declaration (identifier) @name (class_body) @header.end) @definition.class
(enum_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(extension_type_declaration name: (identifier) @name body: (_) @header.end) @definition.class
(extension_declaration name: (identifier) @name body: (_) @header.end) @definition.class
; An extension without a name is a scope of the type it extends.
(extension_declaration !name class: (_) @name body: (_) @header.end) @definition.module
(type_alias . "typedef" . (type_identifier) @name . ["=" (type_parameters)]) @definition.type
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type

(program [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)] @definition.function . (function_body) @header.end @end)
(program ["external"]? @start . [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)] @definition.function)
(local_function_declaration (lambda_expression
  parameters: (function_signature name: (identifier) @name) body: (_) @header.end)) @definition.function

; The last name of a constructor: `Foo.named` is `named` in Foo.
(_ (method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature "operator" . [(binary_operator) "[]" "[]=" "~"] @name)
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  ]) @definition.method . (function_body) @header.end @end)
(declaration [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (operator_signature "operator" . [(binary_operator) "[]" "[]=" "~"] @name)
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))]) @definition.method

(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.field
(enum_constant name: (identifier) @name) @definition.field
(representation_declaration name: (identifier) @name) @definition.field

(program
  [(const_builtin) (final_builtin)] @start
  . [(type_identifier) (type_arguments) (nullable_type) (function_type) (record_type)]*
  . (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.constant)
(program
  [(inferred_type) (type_identifier)] @start
  . [(type_arguments) (nullable_type)]*
  . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.constant)

; References, by name only.

((identifier) @name @reference.call . (selector . (argument_part)))
((selector [
  (unconditional_assignable_selector (identifier) @name)
  (conditional_assignable_selector (identifier) @name)]) @reference.call . (selector . (argument_part)))
(cascade_section (cascade_selector (identifier) @name) . (argument_part)) @reference.call
(new_expression (type_identifier) @name) @reference.call
(const_object_expression (type_identifier) @name) @reference.call

(superclass (type_identifier) @name) @reference.base
(mixins (type_identifier) @name) @reference.base
(interfaces (type_identifier) @name) @reference.base

; Docs and what stands before a definition.

[(comment) (documentation_comment)] @comment
(annotation) @attribute
