import type { NameFact } from '../protocol';

/** How many names one request asks for. */
const MOST = 1000;
const LONGEST = 256;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;
const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield self'
  ).split(' ')
);

/** The words of texts that may be names, each once; those of the first texts are kept where there are too many. */
export function wordsIn(texts: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [word] of text.matchAll(WORD)) {
      if (!KEYWORDS.has(word) && !word.startsWith('_')) {
        found.add(word.length <= LONGEST ? word : '');
      }
      if (found.size > MOST) {
        break;
      }
    }
  }
  found.delete('');
  return [...found].slice(0, MOST);
}

/** What the kernel holds under names, until something runs in it. */
export class KernelNames {
  /** True where the kernel was asked since something ran in it. */
  has(name: string): boolean {
    return this._facts.has(name);
  }

  /** Null where the kernel holds nothing that is told of. */
  get(name: string): NameFact | null {
    return this._facts.get(name) ?? null;
  }

  /** Takes an answer; names that it leaves out are none of the kernel's. */
  take(
    asked: readonly string[],
    told: Readonly<Record<string, NameFact>>
  ): void {
    const facts = new Map(Object.entries(told));
    asked.forEach(name => this._facts.set(name, facts.get(name) ?? null));
  }

  /** Something runs: any name may hold something else now. */
  drop(): void {
    this._facts.clear();
  }

  private readonly _facts = new Map<string, NameFact | null>();
}
