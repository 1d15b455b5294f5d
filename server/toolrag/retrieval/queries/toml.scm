; A table is a scope of its keys; it runs to the next table.

(table . "[" . (_) @name) @definition.module
(table_array_element . "[[" . (_) @name) @definition.module
(document (pair . (_) @name) @definition.constant)
(table (pair . (_) @name) @definition.field)
(table_array_element (pair . (_) @name) @definition.field)

(comment) @comment
