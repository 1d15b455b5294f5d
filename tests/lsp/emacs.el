;; -*- lexical-binding: t -*-
;; Runs inside Emacs after its init file: asks, jumps, edits above, asks again, closes without saving, asks again.
;; What was seen goes to the file $TOOLRAG_TEST_REPORT as JSON.

(defvar test-question "what does discounted_price take off a price?")

(defun test-server ()
  (toolrag--server (expand-file-name (project-root (project-current)))))

(defun test-until-ready ()
  (with-timeout (60 (error "Never ready"))
    (while (not (equal (plist-get (jsonrpc-request (test-server) :toolrag/status (make-hash-table)) :phase) "ready"))
      (accept-process-output nil 0.05))))

(defun test-seen ()
  "Ask, and say where that led to."
  (let (answer)
    (cl-letf* ((show (symbol-function 'toolrag--show))
               ((symbol-function 'toolrag--show) (lambda (given) (setq answer given) (funcall show given))))
      (toolrag-ask test-question))
    (set-buffer (window-buffer (selected-window)))
    (let ((citation (aref (plist-get answer :citations) 0)))
      (list :outcome (plist-get answer :outcome)
            :path (plist-get citation :path)
            :lines (plist-get citation :lines)
            :quote (plist-get citation :quote)
            :source (plist-get citation :source)
            :cursor (line-number-at-pos)
            :text (test-line)
            :claims (with-current-buffer "*toolrag*" (buffer-string))))))

(defun test-claims ()
  (with-current-buffer "*toolrag*" (buffer-string)))

(defun test-until-claimed (text)
  "Wait until *toolrag* says this; then what stands where its first link leads."
  (eglot--signal-textDocument/didChange) ; which it does by itself when nobody types
  (with-timeout (60 (error "Never said: %s; but %s" text (test-claims)))
    (while (not (string-search text (test-claims))) (accept-process-output nil 0.05)))
  (save-current-buffer
    (with-current-buffer "*toolrag*"
      (goto-char (point-min))
      (forward-button 1)
      (push-button))
    (set-buffer (window-buffer (selected-window)))
    (list :line (line-number-at-pos) :text (test-line))))

(defun test-told ()
  "Wait until *toolrag* is written anew; then what it says."
  (let ((tick (with-current-buffer "*toolrag*" (buffer-modified-tick))))
    (with-timeout (60 (error "No standings"))
      (while (= tick (with-current-buffer "*toolrag*" (buffer-modified-tick))) (accept-process-output nil 0.05)))
    (test-claims)))

(defun test-until-searched ()
  "Wait until what was typed last is searched."
  (with-timeout (60 (error "Never searched"))
    (while (not (equal "discounted_price"
                       (let ((found (jsonrpc-request (test-server) :toolrag/search '(:query "discounted_price" :limit 1))))
                         (plist-get (plist-get (elt (plist-get found :candidates) 0) :symbol) :name))))
      (accept-process-output nil 0.05))))

(defun test-line ()
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun test-hover ()
  "What eldoc shows for the name at point; nil in a buffer that another server has."
  (when (memq #'eglot-hover-eldoc-function eldoc-documentation-functions)
    (let (shown)
      (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown (or text ""))))
      (with-timeout (60 (error "No hover"))
        (while (not shown) (accept-process-output nil 0.05)))
      (substring-no-properties shown))))

(defun test-main ()
  (let (before edited closed during moved broken mended hover unfollowed)
    (find-file "shop/pricing.py")
    (when (memq major-mode toolrag-modes) (call-interactively #'eglot))
    (run-hooks 'post-command-hook)
    (with-timeout (60 (error "No server for Python"))
      (while (not (eglot-current-server)) (accept-process-output nil 0.05)))
    (setq during (plist-get (jsonrpc-request (test-server) :toolrag/ask (list :question test-question)) :outcome))
    (test-until-ready)
    (find-file "shop/basket.py")
    (setq before (test-seen))
    (save-excursion
      (goto-char (point-min))
      (insert "# \U0001f600 typed above,\n# \f and not saved\n"))
    (narrow-to-region (point-min) (1+ (point-min)))
    (setq edited (test-seen))
    (if (not (memq major-mode toolrag-modes))
        (setq unfollowed (test-told))
      (search-forward "discounted")
      (setq hover (test-hover))
      (save-excursion (goto-char (point-min)) (insert "# and one more\n"))
      (setq moved (test-until-claimed "shop/pricing.py:9-10 verified"))
      (insert "#")
      (setq broken (test-until-claimed "shop/pricing.py:9-10 changed"))
      (delete-char 1)
      (setq mended (test-until-claimed "shop/pricing.py:9-10 verified"))
      (test-until-searched))
    (set-buffer-modified-p nil)
    (kill-buffer)
    (find-file "shop/basket.py")
    (setq closed (test-seen))
    (list :during during :before before :edited edited :closed closed
          :moved moved :broken broken :mended mended :hover (or hover "") :unfollowed (or unfollowed "")
          :nothing (progn (toolrag-ask "where is the zeppelin anchored?")
                          (with-current-buffer "*toolrag*" (buffer-string)))
          :wrong (condition-case err (jsonrpc-request (test-server) :toolrag/ask (list :question 3))
                   (jsonrpc-error (list :code (alist-get 'jsonrpc-error-code (cdr err))
                                        :message (alist-get 'jsonrpc-error-message (cdr err)))))
          :manager (progn (find-file "shop/pricing.py")
                          (plist-get (eglot--server-info (eglot-current-server)) :name))
          :stopped (let ((server (test-server)))
                     (eglot-shutdown server)
                     (not (jsonrpc-running-p server))))))

(let ((seen (condition-case why (test-main) (error (list :why (format "%S" why))))))
  (write-region (json-serialize seen :false-object :json-false) nil (getenv "TOOLRAG_TEST_REPORT"))
  (kill-emacs))
