/** A stretch of a message: code where it stood in backticks. */
export interface ISpan {
  readonly text: string;
  readonly code: boolean;
}

/** A message cut at its backticks; an odd backtick stays a character. */
export function spans(message: string): ISpan[] {
  const parts = message.split('`');
  if (parts.length % 2 === 0) {
    const last = parts.pop();
    parts[parts.length - 1] += '`' + last;
  }
  return parts
    .map((text, index) => ({ text, code: index % 2 === 1 }))
    .filter(span => span.text !== '');
}

/** A message without its backticks, for places that show plain text. */
export function plainText(message: string): string {
  return spans(message)
    .map(span => span.text)
    .join('');
}
