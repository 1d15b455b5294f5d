; What JavaScript has of its own; the rest is in `ecmascript.scm`.

(field_definition
  property: [(property_identifier) (private_property_identifier) (string)] @name
  value: [(arrow_function "=>" @header.end) (function_expression body: (_) @header.end)]) @definition.method
(field_definition
  property: [(property_identifier) (private_property_identifier) (string)] @name) @definition.field

(class_heritage [
  (identifier) @name
  (member_expression property: (property_identifier) @name)
  (call_expression function: (identifier) @name)]) @reference.base

(jsx_opening_element name: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]
  (#match? @name "^[A-Z]")) @reference.call
(jsx_self_closing_element name: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]
  (#match? @name "^[A-Z]")) @reference.call
