; A rule is a function of its targets; `.PHONY` and the like are none.

((rule (targets) @name (recipe)? @header.end) @definition.function (#not-match? @name "^\\.[A-Z]"))
(variable_assignment name: (word) @name) @definition.constant
(define_directive name: (word) @name) @definition.function

(comment) @comment
