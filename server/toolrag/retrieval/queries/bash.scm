; Definitions. A variable is a constant of its file when it is set at the top level.

(function_definition name: (word) @name body: (_) @header.end) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant)

; References, by name only.

(command name: (command_name (word) @name) (#match? @name "^[A-Za-z_]")) @reference.call

(comment) @comment
