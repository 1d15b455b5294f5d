// Answers as a server gives them.
import type { Answer, Citation } from '../src/shared/wire';

export function citation(of: Partial<Citation> = {}): Citation {
  const lines = of.lines ?? { start: 12, end: 13 };
  return {
    id: 'r1',
    path: 'src/shop/pricing.py',
    root: 'file:///w',
    location: {
      uri: 'file:///w/src/shop/pricing.py',
      range: { start: { line: lines.start - 1, character: 0 }, end: { line: lines.end - 1, character: 4 } },
    },
    lines,
    sha: '5ae3e3b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6',
    linesSha: '3f2a9c0b1d4e77777777777777777777777777777777777777777777777777ab',
    anchor: {},
    source: 'disk',
    quote: 'def total(self):\n    return 3',
    symbol: 'Basket.total',
    standing: 'verified',
    ...of,
  };
}

export function answer(of: Partial<Answer> = {}): Answer {
  return {
    id: '0123456789abcdef',
    question: 'What is a total?',
    outcome: 'answered',
    model: 'extractive',
    claims: [{ id: 'c1', text: '`total` returns 3\\.', citations: ['r1'] }],
    citations: [citation()],
    candidates: [],
    searched: { files: 3, skipped: 0, complete: true, denseComplete: true, terms: ['total'], missing: [] },
    usage: { turns: 0, toolCalls: 0, reads: 6, bytesRead: 9800, inputTokens: 0, outputTokens: 0, seconds: 0.14 },
    ...of,
  };
}
