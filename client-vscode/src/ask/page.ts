// The Ask view's page, which loads its own two files and nothing else.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export function page(webview: vscode.Webview, extension: vscode.Uri): string {
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'webview', name));
  const nonce = randomBytes(16).toString('hex');
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file('style.css')}">
<title>Ask</title>
</head>
<body><script nonce="${nonce}" src="${file('main.js')}"></script></body>
</html>`;
}
