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
      if clients[root] then vim.lsp.buf_attach_client(0, clients[root]) end
    end,
  })
end

local function toolrag()
  for _, client in pairs(vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0)) do
    if client.name == "toolrag" then return client end
  end
end

-- Each claim's citations go to the quickfix list, and the first is jumped to.
local function show(question, answer)
  local places, items = {}, {}
  for _, citation in ipairs(answer.citations) do places[citation.id] = citation end
  for _, claim in ipairs(answer.claims) do
    for _, id in ipairs(claim.citations) do
      local uri, lines = places[id].location.uri, places[id].lines
      table.insert(items, { filename = vim.uri_to_fname(uri), lnum = lines.start, text = claim.text })
    end
  end
  if answer.reason then vim.notify(answer.reason.message) end
  if #items == 0 then return end
  vim.fn.setqflist({}, " ", { title = question, items = items })
  vim.cmd("cfirst")
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
