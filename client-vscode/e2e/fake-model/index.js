// A chat model that reads the lines it is offered and claims what they say; and an agent's three tool calls.
const vscode = require('vscode');

/** A question with these words is answered when nobody waits any more. */
const SLOW = 'take your time';

const INFO = {
  id: 'scripted-1',
  name: 'Scripted One',
  family: 'scripted',
  version: '1',
  maxInputTokens: 100_000,
  maxOutputTokens: 4_000,
  capabilities: { toolCalling: true },
};

function textOf(message) {
  const parts = message.content.map((part) => {
    if (part instanceof vscode.LanguageModelTextPart) {
      return part.value;
    }
    return part instanceof vscode.LanguageModelToolResultPart
      ? part.content.map((one) => one.value ?? '').join('')
      : '';
  });
  return parts.join('\n');
}

/** What is said next: a read while none was answered, then a claim that cites it. */
function next(messages, tools) {
  const results = messages.filter((one) =>
    one.content.some((part) => part instanceof vscode.LanguageModelToolResultPart),
  );
  const read = tools.find((tool) => tool.name === 'read_range');
  if (results.length === 0 && read) {
    return new vscode.LanguageModelToolCallPart('call-1', 'read_range', { path: 'checkout.py', start: 4, end: 9 });
  }
  const evidence = /"(e\d+)"/.exec(results.map(textOf).join('\n'))?.[1] ?? 'e1';
  return new vscode.LanguageModelTextPart(`\`checkout\` ends with \`return total\`. [${evidence}:4] [${evidence}:9]`);
}

async function useTools() {
  const call = async (name, input) => {
    const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return result.content.map((part) => part.value).join('');
  };
  const found = await call('toolrag_search', { query: 'checkout coupon' });
  const read = await call('toolrag_read_range', { path: 'checkout.py', start: 4, end: 9 });
  const cite = /Cite these lines as (\S+)\.$/.exec(read)?.[1];
  const verdict = await call('toolrag_verify_citations', { text: `It returns the total (\`${cite}\`).` });
  const place = found.split('\n')[0].split(' ')[0];
  void vscode.window.showInformationMessage(`TOOLS ${place} | ${verdict}`);
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('fakeModel.useTools', useTools),
    vscode.lm.registerLanguageModelChatProvider('scripted', {
      provideLanguageModelChatInformation: () => [INFO],
      provideLanguageModelChatResponse: async (_model, messages, options, progress, token) => {
        if (messages.some((one) => textOf(one).includes(SLOW))) {
          await new Promise((resolve) => token.onCancellationRequested(resolve));
          return;
        }
        progress.report(next(messages, options.tools ?? []));
      },
      provideTokenCount: async (_model, text) => Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4),
    }),
  );
  // Models are looked up when somebody first asks for them.
  void vscode.lm.selectChatModels({ vendor: 'scripted' });
};
