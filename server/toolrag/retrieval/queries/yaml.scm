; Keys, three levels deep. A key with keys below it is their scope.

(document (block_node (block_mapping
  (block_mapping_pair key: (_) @name ":" @header.end value: (block_node (block_mapping))) @definition.module)))
(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @definition.constant)))

(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair
    key: (_) @name ":" @header.end value: (block_node (block_mapping))) @definition.module))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (_) @name) @definition.field))))))

(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (_) @name) @definition.field)))))))))

(comment) @comment
