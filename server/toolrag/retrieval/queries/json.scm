; Keys, two levels deep. A key with an object is the scope of its keys.

(document (object (pair key: (string (string_content) @name) ":" @header.end value: (object)) @definition.module))
(document (object (pair key: (string (string_content) @name)) @definition.constant))
(document (object (pair value: (object (pair
  key: (string (string_content) @name)) @definition.field))))

(comment) @comment
