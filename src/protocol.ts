/* Generated from jupyterlab_jaxhints/protocol.py by scripts/generate: edit there. */

/**
 * The notebook's code cells in document order.
 */
export interface AnalyzeRequest {
  /**
   * names the document; results are kept by it
   */
  notebook: string;
  cells: CellText[];
  /**
   * id of the cell being typed in: it is answered first
   */
  edited?: string | null;
  cursor_line?: number | null;
  scope?: 'edited' | 'all';
  settings?: Settings;
  failures?: CellFailure[];
  /**
   * the kernel's, where it is known
   */
  jax_version?: string | null;
}
/**
 * A code cell as the client has it; `text` may be left out when the server holds the digest.
 */
export interface CellText {
  id: string;
  text?: string | null;
  /**
   * as the server gave it for this text
   */
  digest?: string | null;
}
/**
 * What the user chose: in JupyterLab's settings and in the notebook's metadata.
 */
export interface Settings {
  /**
   * rules or sections that are on; empty: all
   */
  select?: string[];
  /**
   * rules or sections that are off
   */
  ignore?: string[];
  /**
   * rule → severity instead of its own
   */
  severity?: {
    [k: string]: 'error' | 'warning' | 'information' | 'hint';
  };
}
/**
 * What a run cell failed with, from the error output that the notebook holds.
 */
export interface CellFailure {
  cell: string;
  /**
   * zero-based line of the cell where the error arose
   */
  line: number;
  /**
   * the exception's class
   */
  name: string;
  message: string;
}
/**
 * Hints by cell. `missing` lists the cells whose text the server asks for; then there are no hints.
 */
export interface AnalyzeResponse {
  cells: CellResult[];
  missing: string[];
  /**
   * false: only the edited cell is answered; ask again with scope 'all'
   */
  complete: boolean;
  notes: Note[];
}
/**
 * The hints of one cell, and the digest of the text they belong to.
 */
export interface CellResult {
  id: string;
  digest: string;
  diagnostics: Diagnostic[];
  /**
   * some statement of the cell does not parse
   */
  broken: boolean;
}
/**
 * A hint: what JAX does at this place, how sure that is, and how to mend it.
 */
export interface Diagnostic {
  /**
   * stable while rule, cell and flagged text stay the same
   */
  id: string;
  rule: string;
  cell: string;
  range: Range;
  severity: 'error' | 'warning' | 'information' | 'hint';
  kind: 'error' | 'silent' | 'slow' | 'style';
  certainty: 'certain' | 'probable';
  lane: 'reading' | 'trace' | 'both';
  /**
   * one sentence; names in backticks
   */
  message: string;
  evidence: Evidence[];
  /**
   * the preferred one first
   */
  fixes: Fix[];
  /**
   * writes the comment that silences this hint
   */
  ignore: Fix | null;
  seen: Seen | null;
}
/**
 * A half-open stretch of a cell's text.
 */
export interface Range {
  start: Position;
  end: Position;
}
/**
 * A place in a cell: zero-based line, zero-based UTF-16 column.
 */
export interface Position {
  line: number;
  character: number;
}
/**
 * One step of the chain that made a hint; a link to its place where it has one.
 */
export interface Evidence {
  message: string;
  cell: string | null;
  range: Range | null;
}
/**
 * A rewrite that answers a hint; its edits may touch several cells.
 */
export interface Fix {
  title: string;
  applicability: 'safe' | 'unsafe';
  edits: TextEdit[];
  /**
   * cell id → digest of the text that the edits were made for
   */
  digests: {
    [k: string]: string;
  };
  verification?: Verification | null;
}
/**
 * Replace a range of one cell by `new_text`.
 */
export interface TextEdit {
  /**
   * id of the cell that is edited
   */
  cell: string;
  range: Range;
  new_text: string;
}
/**
 * What the live trace says of a fix.
 */
export interface Verification {
  good: boolean;
  message: string;
  /**
   * the fixed text fails where the old one runs, or changes a type
   */
  worse?: boolean;
}
/**
 * Where a hint was confirmed by a live trace.
 */
export interface Seen {
  kernel: string;
  jax: string;
  device: string;
}
/**
 * Something the panel says about the run itself, for example that a rule failed.
 */
export interface Note {
  message: string;
  cell: string | null;
}
/**
 * A fix that the kernel is asked about, and the rule that offers it.
 */
export interface AskedFix {
  rule: string;
  fix: Fix;
}
/**
 * A device of the kernel; memory in bytes where the device tells it.
 */
export interface Device {
  kind: string;
  platform: string;
  used: number | null;
  limit: number | null;
}
/**
 * What any endpoint answers when it can't do as asked.
 */
export interface ErrorResponse {
  /**
   * stable, in kebab-case
   */
  code: string;
  message: string;
}
/**
 * A jitted function: its static and its donated arguments, and how often it was traced.
 */
export interface JittedFact {
  static: string[];
  donated: string[];
  traces: number | null;
}
/**
 * Contents of `execute_request`s for the client to send: the questions, and what a kernel that says "cold" needs.
 */
export interface KernelAsk {
  injection: {
    [k: string]: unknown;
  };
  questions: {
    [k: string]: unknown;
  }[];
}
/**
 * What the kernel says of itself; no devices where no array exists yet, as asking would start the backend.
 */
export interface KernelFacts {
  python: string | null;
  jax: string | null;
  x64: boolean | null;
  devices: Device[];
  /**
   * debugging flags of JAX that are on
   */
  flags: string[];
}
/**
 * The ghost text of one line.
 */
export interface LineShape {
  line: number;
  text: string;
  /**
   * the types of the line's names, by name
   */
  names: {
    [k: string]: string;
  };
}
/**
 * What the kernel holds under a name; for an array its shape, for a container its short type.
 */
export interface NameFact {
  /**
   * as in ghost text
   */
  type: string | null;
  library: ('jax' | 'numpy') | null;
  shape: number[] | null;
  dtype: string | null;
  weak: boolean;
  sharding: string | null;
  devices: number | null;
  /**
   * its buffer is gone, as after a donation
   */
  deleted: boolean;
  /**
   * it holds a tracer whose trace has ended
   */
  tracer: boolean;
  jitted: JittedFact | null;
}
/**
 * One line of the table of rules.
 */
export interface RuleInfo {
  name: string;
  section: string;
  title: string;
  kind: 'error' | 'silent' | 'slow' | 'style';
  lanes: string;
  fixable: boolean;
}
/**
 * A rule's page as Markdown.
 */
export interface RulePage {
  name: string;
  title: string;
  markdown: string;
}
/**
 * Every rule there is.
 */
export interface RulesResponse {
  rules: RuleInfo[];
}
/**
 * Asks for a trace of cells in the kernel; with `facts` for what it knows of names, which runs no code of the
 * user; with `forget` to drop what earlier ones saw.
 */
export interface TraceRequest {
  /**
   * names the document; results are kept by it
   */
  notebook: string;
  action?:
    'trace' | 'memory' | 'nan' | 'facts' | 'verify' | 'compare' | 'forget';
  /**
   * browser: the client brings the request to the kernel
   */
  carrier?: 'server' | 'browser';
  /**
   * the kernel's id
   */
  kernel?: string | null;
  /**
   * all code cells in order, with their texts
   */
  cells?: CellText[];
  /**
   * ids of the cells to trace
   */
  targets?: string[];
  /**
   * ids of cells that ended well in this kernel with the text they have
   */
  ran?: string[];
  /**
   * id of the cell that the kernel ran last
   */
  executed?: string | null;
  /**
   * names of the notebook whose facts are wanted
   */
  names?: string[];
  /**
   * to be traced with `verify`, to be run on the real values with `compare`
   */
  fixes?: AskedFix[];
  settings?: Settings;
  /**
   * the contents of the kernel's replies to `ask`, one each
   */
  replies?:
    | {
        [k: string]: unknown;
      }[]
    | null;
}
/**
 * The state of the trace with its reason, and what it saw.
 */
export interface TraceResponse {
  state:
    | 'traced'
    | 'partly traced'
    | 'refused'
    | 'timed out'
    | 'stuck'
    | 'kernel busy'
    | 'interrupted'
    | 'aborted'
    | 'kernel restarted'
    | 'JAX not imported'
    | 'kernel not supported'
    | 'no kernel'
    | 'not complete Python'
    | 'failed'
    | 'not reachable';
  why: string;
  cells: TracedCell[];
  kernel: KernelFacts | null;
  /**
   * of the names asked for, those that the kernel holds
   */
  names: {
    [k: string]: NameFact;
  };
  /**
   * time in the kernel
   */
  ms: number;
  /**
   * the answer to a question of memory or NaN, for people
   */
  remark: string;
  ask: KernelAsk | null;
}
/**
 * What a trace says of one cell, its hints merged with those of the reading.
 */
export interface TracedCell {
  id: string;
  digest: string;
  state:
    | 'traced'
    | 'partly traced'
    | 'refused'
    | 'timed out'
    | 'stuck'
    | 'kernel busy'
    | 'interrupted'
    | 'aborted'
    | 'kernel restarted'
    | 'JAX not imported'
    | 'kernel not supported'
    | 'no kernel'
    | 'not complete Python'
    | 'failed'
    | 'not reachable';
  why: string;
  shapes: LineShape[];
  diagnostics: Diagnostic[];
  /**
   * ids of hints that the trace disproves
   */
  refuted: string[];
}
