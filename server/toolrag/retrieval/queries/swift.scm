; Definitions. An extension is a scope, not the definition of its type.

(class_declaration
  declaration_kind: ["class" "struct" "actor" "enum"]
  name: (type_identifier) @name
  body: (_) @header.end) @definition.class
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @header.end) @definition.module
(protocol_declaration name: (type_identifier) @name body: (_) @header.end) @definition.class
(typealias_declaration . (modifiers)? "typealias" . name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; In an extension, too, a function is a method and a property a field.
(class_body (function_declaration "func" . name: _ @name body: (_) @header.end) @definition.method)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(function_declaration "func" . name: _ @name body: (_) @header.end) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name body: (_) @header.end) @definition.method
(init_declaration "init" @name !body) @definition.method
(deinit_declaration "deinit" @name body: (_) @header.end) @definition.method
(subscript_declaration "subscript" @name (computed_property) @header.end) @definition.method
(macro_declaration (simple_identifier) @name) @definition.function

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (computed_property) @header.end) @definition.field
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field
(enum_entry name: (simple_identifier) @name) @definition.field

; References, by name only.

(call_expression . [
  (simple_identifier) @name
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @name))]) @reference.call
(inheritance_specifier inherits_from: (user_type (type_identifier) @name .)) @reference.base

; Docs and what stands before a definition.

[(comment) (multiline_comment)] @comment
(attribute) @attribute
