-- Runs inside Neovim: opens a file, asks, jumps to the citation, edits above it, asks again, closes without saving.
-- What was seen goes to the file $TOOLRAG_TEST_REPORT as JSON. Set-up is what README.md says for each version.

local command = { vim.env.TOOLRAG_TEST_COMMAND, "serve" }
local question = "what does discounted_price take off a price?"
local report = { version = tostring(vim.version().minor) }
local client

local function ask()
  local answer
  client.request("toolrag/ask", { question = question }, function(err, result)
    answer = { err = err, result = result }
  end)
  assert(vim.wait(60000, function() return answer ~= nil end, 20), "no answer")
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function status()
  local phase
  client.request("toolrag/status", {}, function(_, result) phase = result.phase end)
  vim.wait(60000, function() return phase ~= nil end, 20)
  return phase
end

-- Where the first citation is, and what stands there once Neovim has jumped to it.
local function seen(answer)
  local citation = answer.citations[1]
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(citation.location, client.offset_encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(citation.location, client.offset_encoding)
  end
  return {
    outcome = answer.outcome,
    path = citation.path,
    lines = citation.lines,
    quote = citation.quote,
    source = citation.source,
    cursor = vim.api.nvim_win_get_cursor(0)[1],
    text = vim.api.nvim_get_current_line(),
    buffer = vim.fn.bufname("%"),
  }
end

local function main()
  vim.cmd("edit shop/pricing.py")
  vim.cmd("setfiletype python")
  if vim.lsp.config then
    vim.lsp.config("toolrag", { cmd = command, root_markers = { ".git" }, filetypes = { "python" } })
    vim.lsp.enable("toolrag")
    vim.cmd("doautocmd FileType")
  else
    local id = vim.lsp.start_client({ cmd = command, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(0, id)
  end
  local function find()
    local get = vim.lsp.get_clients or vim.lsp.get_active_clients
    client = get()[1]
    return client ~= nil and client.initialized
  end
  assert(vim.wait(60000, find, 20), "no client")
  report.encoding = client.offset_encoding
  report.during = ask().outcome
  assert(vim.wait(60000, function() return status() == "ready" end, 50), "never ready")

  report.before = seen(ask())
  local mine = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(mine, 0, 0, false, { "# \240\159\152\128 typed above,", "# \12 and not saved" })
  report.edited = seen(ask())
  vim.cmd("enew")
  vim.cmd("bdelete! " .. mine)
  report.closed = seen(ask())

  local err
  client.request("toolrag/ask", { question = 3 }, function(e) err = e end)
  vim.wait(60000, function() return err ~= nil end, 20)
  report.wrong = { code = err.code, message = err.message }

  local commanded
  client.request("workspace/executeCommand", { command = "toolrag.ask", arguments = { question } }, function(_, result)
    commanded = result
  end)
  vim.wait(60000, function() return commanded ~= nil end, 20)
  report.commanded = commanded.outcome

  -- Neovim keeps the answer to a cancelled request to itself. One of many may be answered before its cancel arrives.
  local answered = 0
  for _ = 1, 20 do
    local _, id = client.request("toolrag/ask", { question = question }, function() answered = answered + 1 end)
    client.cancel_request(id)
  end
  report.after = ask().outcome
  report.cancelled = 20 - answered

  client.stop()
  report.stopped = vim.wait(60000, function() return client.is_stopped() end, 20)
end

local ok, why = xpcall(main, debug.traceback)
report.why = not ok and why or nil
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.TOOLRAG_TEST_REPORT)
vim.cmd("qall!")
