; A rule is known by its selectors, and holds the custom properties that are set in it. What a condition encloses has
; the condition as its container.

(rule_set (selectors) @name (block) @header.end) @definition.class
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @header.end) @definition.type
(declaration (property_name) @name (#match? @name "^--")) @definition.field

(media_statement "@media" @name . [
  (keyword_query) (feature_query) (binary_query) (unary_query) (parenthesized_query) (selector_query) ","]+ @name
  . (block) @header.end) @definition.module
(supports_statement "@supports" @name . (_) @name . (block) @header.end) @definition.module
(at_rule (at_keyword) @name . (keyword_query) @name . (block) @header.end) @definition.module

(comment) @comment
