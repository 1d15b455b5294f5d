;; toolrag for Emacs with eglot: put this into ~/.emacs.d/init.el

(require 'eglot)

;; The modes whose buffers toolrag follows as you type. Add those that no other server is to have.
(defvar toolrag-modes '(toolrag-mode text-mode))
(define-derived-mode toolrag-mode special-mode "toolrag")
(add-to-list 'eglot-server-programs `(,toolrag-modes . ("toolrag" "serve")))

(defun toolrag--server (root)
  "The toolrag of the project at ROOT, which is started where it does not run."
  (with-temp-buffer
    (setq default-directory root major-mode 'toolrag-mode)
    (or (eglot-current-server)
        (let ((buffer-file-name (expand-file-name "toolrag-answer" root))
              (eglot-sync-connect t))
          (call-interactively #'eglot)
          (eglot-current-server)))))

(defun toolrag--uri (file)
  (concat "file://" (url-hexify-string (expand-file-name file) url-path-allowed-chars)))

(defun toolrag--hidden-p ()
  "Whether this buffer holds what is neither saved nor sent to toolrag as you type."
  (and (buffer-modified-p) (not (and (eglot-managed-p) (memq major-mode toolrag-modes)))))

(defun toolrag--unsaved (root)
  "What is unsaved below ROOT in buffers that toolrag does not follow, as documents."
  (let (documents)
    (dolist (buffer (buffer-list) documents)
      (with-current-buffer buffer
        (when (and buffer-file-name (file-in-directory-p buffer-file-name root) (toolrag--hidden-p))
          (push (list :uri (toolrag--uri buffer-file-name) :languageId "" :version 0
                      :text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))
                documents))))))

(defun toolrag--in-front ()
  "The document and the lines in front of you: what \"this\" means in a question."
  (when buffer-file-name
    (let ((from (if (use-region-p) (region-beginning) (point))) (to (if (use-region-p) (region-end) (point))))
      (list :textDocument (list :uri (toolrag--uri buffer-file-name))
            :selection (list :start (list :line (1- (line-number-at-pos from t)) :character 0)
                             :end (list :line (1- (line-number-at-pos to t)) :character 0))))))

(defun toolrag--file (citation)
  (let ((uri (plist-get (plist-get citation :location) :uri)))
    (decode-coding-string (url-unhex-string (url-filename (url-generic-parse-url uri))) 'utf-8)))

(defun toolrag--visit (citation)
  (pop-to-buffer (find-file-noselect (toolrag--file citation)))
  (widen)
  (goto-char (point-min))
  (forward-line (1- (plist-get (plist-get citation :lines) :start))))

(defvar toolrag--answer nil "The last answer; where its citations are, and how they stand, is kept up to date.")

(defun toolrag--write ()
  "Write the last answer into *toolrag*, as it stands now."
  (with-current-buffer (get-buffer-create "*toolrag*")
    (toolrag-mode)
    (let ((inhibit-read-only t) (at (point)))
      (erase-buffer)
      (insert (plist-get toolrag--answer :question) "\n")
      (when (plist-get toolrag--answer :reason)
        (insert "\n" (plist-get (plist-get toolrag--answer :reason) :message) "\n"))
      (seq-doseq (claim (plist-get toolrag--answer :claims))
        (insert "\n" (plist-get claim :text) "\n")
        (seq-doseq (citation (plist-get toolrag--answer :citations))
          (when (seq-contains-p (plist-get claim :citations) (plist-get citation :id))
            (let ((lines (plist-get citation :lines)))
              (insert "  ")
              (insert-text-button (format "%s:%d-%d" (plist-get citation :path)
                                          (plist-get lines :start) (plist-get lines :end))
                                  'toolrag citation
                                  'action (lambda (button) (toolrag--visit (button-get button 'toolrag))))
              (insert " " (plist-get citation :standing) "\n")))))
      (goto-char (min at (point-max))))
    (current-buffer)))

(cl-defmethod eglot-handle-notification (_server (_method (eql toolrag/standings)) &key answerId citations &allow-other-keys)
  "Citations of an answer were moved or broken by an edit, yours or another's."
  (when (equal answerId (plist-get toolrag--answer :id))
    (seq-doseq (now citations)
      (let* ((citation (seq-find (lambda (one) (equal (plist-get one :id) (plist-get now :id)))
                                 (plist-get toolrag--answer :citations)))
             (buffer (find-buffer-visiting (toolrag--file citation))))
        ;; Of a buffer that toolrag does not follow it knows the file alone.
        (unless (and buffer (with-current-buffer buffer (toolrag--hidden-p)))
          (dolist (key '(:standing :location :lines))
            (when (plist-get now key) (plist-put citation key (plist-get now key)))))))
    (toolrag--write)))

(defun toolrag--show (answer)
  (setq toolrag--answer answer)
  (with-current-buffer (toolrag--write) (goto-char (point-min)))
  (display-buffer "*toolrag*")
  (when (< 0 (length (plist-get answer :citations)))
    (toolrag--visit (elt (plist-get answer :citations) 0))))

(defun toolrag-ask (question)
  "Answer QUESTION about this project, and jump to the first lines that the answer cites."
  (interactive "sAsk toolrag: ")
  (let* ((project (or (project-current) (user-error "No project here: toolrag asks about one")))
         (root (expand-file-name (project-root project)))
         (server (or (toolrag--server root) (user-error "toolrag did not start")))
         (unsaved (toolrag--unsaved root)))
    (dolist (document unsaved)
      (jsonrpc-notify server :textDocument/didOpen (list :textDocument document)))
    (unwind-protect
        (toolrag--show (jsonrpc-request server :toolrag/ask (append (list :question question) (toolrag--in-front))
                                        :timeout 90 :deferred :toolrag/ask))
      (dolist (document unsaved)
        (jsonrpc-notify server :textDocument/didClose
                        (list :textDocument (list :uri (plist-get document :uri))))))))
