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

-- What is told of the first claim at the end of a buffer's lines, as `{line, text}`.
local function told(buffer)
  local space = vim.api.nvim_get_namespaces().toolrag
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    local text = mark[4].virt_text[1][1]
    if text:find("c1", 1, true) then return { mark[2] + 1, text } end
  end
end

local function until_told(buffer, line, text)
  local function found()
    local first = told(buffer)
    return first ~= nil and first[1] == line and first[2] == text
  end
  assert(vim.wait(60000, found, 20), "told is " .. vim.inspect(told(buffer)))
  return told(buffer)
end

-- What K shows in a window of its own for the name at the cursor.
local function hover()
  local function window()
    for _, one in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(one).relative ~= "" then return one end
    end
  end
  vim.cmd("normal K")
  assert(vim.wait(60000, function() return window() ~= nil end, 20), "no hover")
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window()), 0, -1, false), "\n")
  vim.api.nvim_win_close(window(), true)
  return text
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
  report.standing = until_told(mine, report.edited.cursor + 1, "▸ c1 verified")
  vim.cmd("normal f_")
  report.hover = hover()
  local line = vim.api.nvim_get_current_line()
  -- Typed above, unsaved: the mark is with its lines before the server says a word, and where it says they are.
  vim.api.nvim_buf_set_lines(mine, 0, 0, false, { "# and one more" })
  report.followed = told(mine)
  report.again = seen()
  vim.api.nvim_buf_set_lines(mine, report.edited.cursor, report.edited.cursor + 1, false, { "def other():" })
  report.broken = until_told(mine, report.edited.cursor + 2, "▸ c1 changed")
  vim.api.nvim_buf_set_lines(mine, report.edited.cursor, report.edited.cursor + 1, false, { line })
  report.mended = until_told(mine, report.edited.cursor + 2, "▸ c1 verified")
  local function searched()
    local first = request("toolrag/search", { query = "discounted_price", limit = 1 }).candidates[1]
    return first.symbol.name == "discounted_price"
  end
  assert(vim.wait(60000, searched, 50), "what was typed last is not searched")
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
