; Definitions. A namespace without braces runs to the next.

((namespace_definition name: (namespace_name) @name !body) @definition.module (#set! level "1"))
(namespace_definition name: (namespace_name) @name body: (_) @header.end) @definition.module

(class_declaration name: (name) @name body: (_) @header.end) @definition.class
(interface_declaration name: (name) @name body: (_) @header.end) @definition.class
(trait_declaration name: (name) @name body: (_) @header.end) @definition.class
(enum_declaration name: (name) @name body: (_) @header.end) @definition.class

(function_definition name: (name) @name body: (_) @header.end) @definition.function
(method_declaration name: (name) @name body: (_) @header.end) @definition.method
(method_declaration name: (name) @name !body) @definition.method

(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(enum_case name: (name) @name) @definition.field
(const_declaration (const_element . (name) @name)) @definition.constant
(expression_statement (function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string) @name)))
  (#match? @_define "^(?i:define)$")) @definition.constant

; References, by name only.

(function_call_expression function: [(name) @name (qualified_name (name) @name)]) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(object_creation_expression [(name) @name (qualified_name (name) @name)]) @reference.call
(attribute [(name) @name (qualified_name (name) @name)]) @reference.call

(base_clause [(name) @name (qualified_name (name) @name)]) @reference.base
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @reference.base
(use_declaration [(name) @name (qualified_name (name) @name)]) @reference.base

; Docs and what stands before a definition.

(comment) @comment
(attribute_list) @attribute
