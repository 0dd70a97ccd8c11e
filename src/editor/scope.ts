import type { syntaxTree } from '@codemirror/language';

import type { LineShape } from '../protocol';

type Tree = ReturnType<typeof syntaxTree>;
type Node = ReturnType<Tree['resolveInner']>;

/** A name in Python code. */
export interface IName {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** What binds it, as far as the text tells; null where that is not told of. */
  readonly origin: IBindings | null;
}

/** What binds a name in the function or the module whose name it is. */
interface IBindings {
  readonly isModule: boolean;
  readonly nodes: readonly Node[];
  /** True where the name is read in a function inside of that one, which runs at another time. */
  readonly isClosure: boolean;
}

const FUNCTION = /^(FunctionDefinition|LambdaExpression)$/;
const SCOPE = /^(FunctionDefinition|LambdaExpression|ClassDefinition)$/;
const COMPREHENSION = /Comprehension(Expression)?$/;
const TARGETS = /^(Tuple|Array|Parenthesized)Expression$/;
const LOOP = /^(For|While)Statement$/;

/** The name at a position; null where there is none. Attributes and keywords of calls are no names. */
export function nameAt(
  tree: Tree,
  text: string,
  position: number,
  side: -1 | 1
): IName | null {
  const node = tree.resolveInner(position, side);
  const isKeyword =
    node.parent?.name === 'ArgList' && node.nextSibling?.name === 'AssignOp';
  if (node.name !== 'VariableName' || isKeyword) {
    return null;
  }
  const { from, to } = node;
  return { name: text.slice(from, to), from, to, origin: originOf(node, text) };
}

/** The type that a trace saw in a name at its place; null where more than one may be meant. */
export function typeAt(
  { name, from, origin }: IName,
  text: string,
  lines: readonly LineShape[]
): string | null {
  if (origin === null || origin.nodes.length === 0) {
    return null;
  }
  const known = new Map<number, string>();
  for (const { line, names } of lines) {
    const type = new Map(Object.entries(names)).get(name);
    if (type !== undefined) {
      known.set(line, type);
    }
  }
  const types = origin.nodes.map(node => typeOf(node, text, known));
  const own = origin.nodes.findIndex(node => node.from === from);
  if (own !== -1) {
    return types[own];
  }
  if (types[0] !== null && types.every(type => type === types[0])) {
    return types[0];
  }
  const at = origin.isClosure ? -1 : lastBefore(origin.nodes, from);
  return at === -1 ? null : types[at];
}

/** Goes outwards through the scopes, as Python does. */
function originOf(node: Node, text: string): IBindings | null {
  const name = text.slice(node.from, node.to);
  let whole = node;
  let isClosure = false;
  let isInner = false;
  let isGlobal = false;
  for (let inner = node, at = node.parent; at; inner = at, at = at.parent) {
    whole = at;
    if (COMPREHENSION.test(at.name) && binds(at, name, text)) {
      return null;
    }
    if (isGlobal || !SCOPE.test(at.name) || !isInside(node, inner, at)) {
      continue;
    }
    if (FUNCTION.test(at.name)) {
      const { nodes, declared } = bindingsIn(at, name, text);
      isGlobal = declared === 'global';
      if (nodes.length > 0 && declared === null) {
        return { isModule: false, nodes, isClosure };
      }
      isClosure = true;
    } else if (!isInner && bindingsIn(at, name, text).nodes.length > 0) {
      return null;
    }
    isInner = true;
  }
  const { nodes } = bindingsIn(whole, name, text);
  return { isModule: true, nodes: isGlobal ? [] : nodes, isClosure };
}

/** Decorators, defaults and annotations belong to the scope around a function. */
function isInside(node: Node, inner: Node, scope: Node): boolean {
  return inner.name === 'ParamList'
    ? node.parent?.name === 'ParamList' && isBinding(node)
    : inner.name === 'Body' || scope.name === 'LambdaExpression';
}

/** What binds a name in a scope itself, in the order of the text, and whether it is declared as another scope's. */
function bindingsIn(
  scope: Node,
  name: string,
  text: string
): { nodes: Node[]; declared: 'global' | 'nonlocal' | null } {
  const nodes: Node[] = [];
  let declared: 'global' | 'nonlocal' | null = null;
  const visit = (node: Node, isOwn: boolean): void => {
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === 'VariableName') {
        const isScopes = node === scope && child.prevSibling?.name === 'def';
        if (isScopes || text.slice(child.from, child.to) !== name) {
          continue;
        }
        if (node.name === 'ScopeStatement') {
          declared = node.firstChild?.name === 'global' ? 'global' : 'nonlocal';
        } else if (isOwn ? isBinding(child) : node.name === 'NamedExpression') {
          nodes.push(child);
        }
      } else if (!SCOPE.test(child.name)) {
        visit(child, isOwn && !COMPREHENSION.test(child.name));
      } else {
        const own = child.getChild('VariableName');
        if (own && text.slice(own.from, own.to) === name) {
          nodes.push(own);
        }
      }
    }
  };
  visit(scope, true);
  return { nodes, declared };
}

/** Whether a comprehension's own `for` binds a name. */
function binds(comprehension: Node, name: string, text: string): boolean {
  let isTargets = false;
  for (let at = comprehension.firstChild; at; at = at.nextSibling) {
    isTargets = at.name === 'for' || (isTargets && at.name !== 'in');
    const words = text.slice(at.from, at.to).split(/[^\p{L}\p{N}_]+/u);
    if (isTargets && words.includes(name)) {
      return true;
    }
  }
  return false;
}

/** Whether a name gets a value where it stands. */
function isBinding(node: Node): boolean {
  const before = node.prevSibling?.name;
  const after = node.nextSibling?.name;
  switch (node.parent?.name) {
    case 'FunctionDefinition':
    case 'ClassDefinition':
      return before === 'def' || before === 'class';
    case 'ParamList':
      return before !== 'AssignOp';
    case 'NamedExpression':
      return after === 'AssignOp';
    case 'UpdateStatement':
      return after === 'UpdateOp';
    case 'CapturePattern':
    case 'DeleteStatement':
    case 'ImportStatement':
      return true;
    default:
      return before === 'as' || isTarget(node);
  }
}

/** Whether a name stands left of `=`, or between `for` and `in`. */
function isTarget(node: Node): boolean {
  let item = node;
  while (item.parent && TARGETS.test(item.parent.name)) {
    item = item.parent;
  }
  if (item.parent?.name === 'AssignStatement') {
    return siblings(item, 'nextSibling').includes('AssignOp');
  }
  const before = siblings(item, 'prevSibling');
  const word = before.find(name => name === 'for' || name === 'in');
  return item.parent?.name === 'ForStatement' && word === 'for';
}

function siblings(
  node: Node,
  direction: 'nextSibling' | 'prevSibling'
): string[] {
  const found: string[] = [];
  for (let at = node[direction]; at; at = at[direction]) {
    found.push(at.name);
  }
  return found;
}

/** The type of a binding: on one of the lines that its statement, or the head of it, stands on. */
function typeOf(
  node: Node,
  text: string,
  known: ReadonlyMap<number, string>
): string | null {
  const statement = statementOf(node);
  if (statement.name === 'MatchStatement') {
    return null;
  }
  const body = statement.getChild('Body');
  const first = lineOf(text, statement.from);
  const last = lineOf(text, body ? body.from : statement.to);
  for (let line = first; line <= last; line++) {
    const type = known.get(line);
    if (type !== undefined) {
      return type;
    }
  }
  return null;
}

/** The binding whose value a name surely has at a place; -1 where branches or loops leave that open. */
function lastBefore(nodes: readonly Node[], place: number): number {
  const inner = (node: Node) => node.from <= place && place < node.to;
  const isPast = (node: Node) =>
    node.to <= place && isDone(statementOf(node), place);
  const at = nodes.map(isPast).lastIndexOf(true);
  if (at === -1) {
    return -1;
  }
  const node = nodes[at];
  const block = enclosing(
    node,
    /^(Body|Script|FunctionDefinition|LambdaExpression)$/
  );
  if (!block || !inner(block)) {
    return -1;
  }
  // A loop around the place alone comes back to it with what is bound later in its body.
  const isLater = nodes.some(other => {
    const loop = loopWithout(other, node, inner);
    return loop !== null && other !== node;
  });
  return isLater ? -1 : at;
}

/** Whether a statement, or the head of it, is over at a place: a target is bound after what its statement reads. */
function isDone(statement: Node, place: number): boolean {
  const head = statement.getChild('Body')?.from ?? statement.to;
  return place >= head || statement.name === 'LambdaExpression';
}

/** A loop that holds the place and this binding, but not the other. */
function loopWithout(
  binding: Node,
  other: Node,
  inner: (node: Node) => boolean
): Node | null {
  for (let at = binding.parent; at; at = at.parent) {
    if (LOOP.test(at.name) && inner(at)) {
      const isAround = at.from <= other.from && other.to <= at.to;
      return isAround ? null : at;
    }
    if (SCOPE.test(at.name)) {
      return null;
    }
  }
  return null;
}

function statementOf(node: Node): Node {
  return (
    enclosing(node, /(Statement|FunctionDefinition|LambdaExpression)$/) ?? node
  );
}

function enclosing(node: Node, kind: RegExp): Node | null {
  for (let at = node.parent; at; at = at.parent) {
    if (kind.test(at.name)) {
      return at;
    }
  }
  return null;
}

function lineOf(text: string, position: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; line++) {
    at = text.indexOf('\n', at + 1);
  }
  return line;
}
