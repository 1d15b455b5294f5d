; Definitions. The schema that a name is written with is its container.

(create_table (object_reference) @name (column_definitions)? @header.end) @definition.class
(create_view (object_reference) @name) @definition.class
(create_materialized_view (object_reference) @name) @definition.class
(create_function (keyword_function) . (object_reference) @name (function_body) @header.end) @definition.function
(create_function (keyword_function) . (object_reference) @name) @definition.function
(create_procedure (keyword_procedure) . (object_reference) @name) @definition.function
(create_trigger (keyword_trigger) . (object_reference) @name) @definition.function
(create_type (object_reference) @name) @definition.type
(create_index column: (identifier) @name) @definition.constant
(column_definition name: (identifier) @name) @definition.field
(statement . [
  (create_table) (create_view) (create_materialized_view) (create_function) (create_procedure) (create_trigger)
  (create_type) (create_index)] @inner .) @wrap

; References, by name only.

(invocation . (object_reference name: (identifier) @name)) @reference.call

[(comment) (marginalia)] @comment
