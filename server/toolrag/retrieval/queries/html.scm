; Headings. A section runs from its heading to the next heading of its level or a higher one, whatever the elements
; around it. An element with an `id` is known by its start tag, which is where a reader looks for it.

((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]1$") (#set! level "1") (#set! element "yes"))
((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]2$") (#set! level "2") (#set! element "yes"))
((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]3$") (#set! level "3") (#set! element "yes"))
((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]4$") (#set! level "4") (#set! element "yes"))
((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]5$") (#set! level "5") (#set! element "yes"))
((element . (start_tag . (tag_name) @_tag)) @name @definition.section
  (#match? @_tag "^[hH]6$") (#set! level "6") (#set! element "yes"))

(start_tag (attribute
  (attribute_name) @_id
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])
  (#match? @_id "^[iI][dD]$")) @definition.field
(self_closing_tag (attribute
  (attribute_name) @_id
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])
  (#match? @_id "^[iI][dD]$")) @definition.field

(comment) @comment
