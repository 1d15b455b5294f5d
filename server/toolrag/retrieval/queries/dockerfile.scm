; A stage runs to the next; its name is its alias, else its image.

((from_instruction (image_spec) as: (image_alias) @name) @definition.module (#set! level "1"))
((from_instruction . "FROM" . (image_spec) @name .) @definition.module (#set! level "1"))
(arg_instruction name: (_) @name) @definition.constant
(env_pair name: (_) @name) @definition.constant
(env_instruction . (env_pair) @inner .) @wrap

(comment) @comment
