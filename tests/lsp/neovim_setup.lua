-- Runs inside Neovim after the set-up that README.md prints: :ToolragAsk, edit above, ask again, close without saving.
-- What was seen goes to the file $TOOLRAG_TEST_REPORT as JSON.

local report = {}

local function client()
  local get = vim.lsp.get_clients or vim.lsp.get_active_clients
  return get()[1]
end

local function request(method, params)
  local answer
  local function answered(err, result) answer = { err = err, result = result } end
  if vim.lsp.config then client():request(method, params, answered) else client().request(method, params, answered) end
  assert(vim.wait(60000, function() return answer ~= nil end, 20), "no answer")
  return answer.result
end

-- Asks by the command, and says where that led to.
local function seen()
  vim.fn.setqflist({}, "r", { title = "", items = {} })
  vim.cmd("ToolragAsk what does discounted_price take off a price?")
  assert(vim.wait(60000, function() return #vim.fn.getqflist() > 0 end, 20), "no citations")
  local first = vim.fn.getqflist()[1]
  return {
    title = vim.fn.getqflist({ title = 0 }).title,
    quickfix = { line = first.lnum, text = first.text, file = vim.fn.bufname(first.bufnr) },
    cursor = vim.api.nvim_win_get_cursor(0)[1],
    text = vim.api.nvim_get_current_line(),
    buffer = vim.fn.bufname("%"),
  }
end

local function main()
  vim.cmd("edit shop/basket.py")
  assert(vim.wait(60000, function() return client() ~= nil and client().initialized end, 20), "no client")
  local function ready() return request("toolrag/status", vim.empty_dict()).phase == "ready" end
  assert(vim.wait(60000, ready, 50), "never ready")
  report.before = seen()
  local mine = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(mine, 0, 0, false, { "# \240\159\152\128 typed above,", "# \12 and not saved" })
  report.edited = seen()
  vim.cmd("edit shop/basket.py")
  vim.cmd("bdelete! " .. mine)
  report.closed = seen()

  local notified
  vim.notify = function(message) notified = message end
  vim.cmd("ToolragAsk where is the zeppelin anchored?")
  assert(vim.wait(60000, function() return notified ~= nil end, 20), "nothing was said")
  report.nothing = notified
  vim.cmd("enew")
  notified = nil
  vim.cmd("ToolragAsk anything?")
  report.nowhere = notified
  report.clients = #(vim.lsp.get_clients or vim.lsp.get_active_clients)()
end

local ok, why = xpcall(main, debug.traceback)
report.why = not ok and why or nil
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.TOOLRAG_TEST_REPORT)
vim.cmd("qall!")
