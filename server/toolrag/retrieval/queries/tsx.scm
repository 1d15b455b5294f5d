; What TSX adds to TypeScript: a component is called where it stands as an element.

(jsx_opening_element name: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]
  (#match? @name "^[A-Z]")) @reference.call
(jsx_self_closing_element name: [
  (identifier) @name
  (member_expression property: (property_identifier) @name)]
  (#match? @name "^[A-Z]")) @reference.call
