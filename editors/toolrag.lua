-- toolrag for Neovim 0.7 and later: save as ~/.config/nvim/plugin/toolrag.lua

local command, clients = { "toolrag", "serve" }, {}

if vim.lsp.config then -- Neovim 0.11 and later
  vim.lsp.config("toolrag", { cmd = command, root_markers = { ".git" }, workspace_required = true })
  vim.lsp.enable("toolrag")
else
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    callback = function()
      if vim.bo.buftype ~= "" then return end
      local root, below = vim.fn.expand("%:p:h"), nil
      while not vim.loop.fs_stat(root .. "/.git") do
        below, root = root, vim.fn.fnamemodify(root, ":h")
        if root == below then return end
      end
      clients[root] = clients[root] or vim.lsp.start_client({
        name = "toolrag",
        cmd = command,
        root_dir = root,
        on_exit = function() clients[root] = nil end,
      })
      if not clients[root] then return end
      vim.lsp.buf_attach_client(0, clients[root])
      if vim.fn.maparg("K", "n") == "" then vim.keymap.set("n", "K", vim.lsp.buf.hover, { buffer = 0 }) end
    end,
  })
end

local function toolrag()
  for _, client in pairs(vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0)) do
    if client.name == "toolrag" then return client end
  end
end

-- How the last answer's citations stand is told at the end of their lines, and follows them through every edit.
local space, last = vim.api.nvim_create_namespace("toolrag"), { citations = {} }

local function mark(citation, line)
  local buffer = vim.uri_to_bufnr(citation.location.uri)
  if not vim.api.nvim_buf_is_loaded(buffer) or line >= vim.api.nvim_buf_line_count(buffer) then return end
  local colour = citation.standing == "verified" and "Comment" or "WarningMsg"
  local text = { { ("▸ %s %s"):format(table.concat(citation.claims, " "), citation.standing), colour } }
  vim.api.nvim_buf_set_extmark(buffer, space, line, 0, { id = citation.number, virt_text = text })
end

vim.lsp.handlers["toolrag/standings"] = function(_, told)
  for _, now in ipairs(told.answerId == last.id and told.citations or {}) do
    local citation = last.citations[now.id]
    local buffer = vim.uri_to_bufnr(citation.location.uri)
    local at = vim.api.nvim_buf_get_extmark_by_id(buffer, space, citation.number, {})[1]
    vim.api.nvim_buf_del_extmark(buffer, space, citation.number)
    citation.standing = now.standing
    citation.location, citation.lines = now.location or citation.location, now.lines or citation.lines
    -- What has changed or is gone has no lines: it is told where they were last.
    mark(citation, not now.lines and at or citation.lines["end"] - 1)
  end
end

vim.api.nvim_create_autocmd("BufReadPost", {
  callback = function(read)
    for _, citation in pairs(last.citations) do
      if vim.uri_to_bufnr(citation.location.uri) == read.buf then mark(citation, citation.lines["end"] - 1) end
    end
  end,
})

-- Each claim's citations go to the quickfix list, and the first is jumped to.
local function show(question, answer)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1) end
  local items = {}
  last = { id = answer.id, citations = {} }
  for number, citation in ipairs(answer.citations) do
    citation.number, citation.claims = number, {}
    last.citations[citation.id] = citation
  end
  for _, claim in ipairs(answer.claims) do
    for _, id in ipairs(claim.citations) do
      local citation = last.citations[id]
      table.insert(citation.claims, claim.id)
      local file, text = vim.uri_to_fname(citation.location.uri), claim.id .. " " .. claim.text
      table.insert(items, { filename = file, lnum = citation.lines.start, text = text })
    end
  end
  if answer.reason then vim.notify(answer.reason.message) end
  if #items == 0 then return end
  vim.fn.setqflist({}, " ", { title = question, items = items })
  vim.cmd("cfirst")
  for _, citation in pairs(last.citations) do mark(citation, citation.lines["end"] - 1) end
end

vim.api.nvim_create_user_command("ToolragAsk", function(given)
  local client = toolrag()
  if not client then return vim.notify("toolrag does not run for this buffer: it is no file below a .git.") end
  local range = vim.lsp.util.make_given_range_params({ given.line1, 0 }, { given.line2, 0 }).range
  local params = { question = given.args, textDocument = vim.lsp.util.make_text_document_params(), selection = range }
  local function answered(err, answer)
    if err then return vim.notify(err.message, vim.log.levels.ERROR) end
    show(given.args, answer)
  end
  if vim.lsp.config then client:request("toolrag/ask", params, answered)
  else client.request("toolrag/ask", params, answered) end
end, { nargs = "+", range = true })
