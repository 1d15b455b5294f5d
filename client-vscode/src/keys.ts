// A key of the user's, kept by VS Code in the system's keychain and handed to the server only by its environment.
import * as vscode from 'vscode';

const OPENAI = 'toolrag.openai.key';

export class Keys {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  async openai(): Promise<string | undefined> {
    return this.secrets.get(OPENAI);
  }

  /** Ask for the key; true when it changed. An empty one is forgotten. */
  async ask(): Promise<boolean> {
    const key = await vscode.window.showInputBox({
      title: 'Key of the OpenAI-compatible server',
      prompt: 'Kept in the system’s keychain. Leave it empty to forget the one that is kept.',
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) {
      return false;
    }
    await (key.trim() === '' ? this.secrets.delete(OPENAI) : this.secrets.store(OPENAI, key.trim()));
    return true;
  }
}
