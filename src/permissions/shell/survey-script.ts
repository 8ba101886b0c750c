import { forEachChild } from 'unbash'
import type {
  AndOr,
  Assignment,
  Command,
  CommandArgument,
  For,
  Pipeline,
  Redirected,
  Redirection,
  Statement,
  SyntaxNode,
} from 'unbash'
import type { Caution } from '../item.ts'
import { UNKNOWN } from '../match-pattern.ts'
import { arithmeticTarget, checkArithmetic, checkParameter, checkTest } from './arithmetic.ts'
import { readAssigned } from './assigned-values.ts'
import { looksEvaluated } from './code-variables.ts'
import { changedDirectories, eitherOf } from './directories.ts'
import { combineWords, expandWord, isComputed, knownText } from './expand.ts'
import type { Field } from './field.ts'
import { isStatic, joinText, joinUncertain, staticField, unknownField } from './field.ts'
import { REACHES_ANYTHING } from './mentioned-files.ts'
import type { DirectoryLookup } from './directory-lookup.ts'
import { UNSEEN } from './directory-lookup.ts'
import { readCommand } from './read-command.ts'
import { MAX_NODES, readShellScript } from './read-script.ts'
import type { Inner, Reading } from './reading.ts'
import { reading } from './reading.ts'
import { forbiddenSpellings, hiddenTexts } from './equivalent-commands.ts'
import { copy, rememberAssigned, type LineScope } from './line-state.ts'
import { pipedInput, redirectedInput } from './stdin.ts'
import type { Survey, SurveyedCommand, SurveyedFile } from './survey-types.ts'
import { collectAssigned, newAssigned, variablesAt } from './variables.ts'
import { runsElsewhere, surelyChanges, type Around } from './where-it-runs.ts'

/** `root`: the absolute path of the directory where the line starts. `atRoot`: that directory is the workspace. */
export function surveyScript(command: string, root: string, atRoot = true, places = UNSEEN): Survey {
  const surveyor = new Surveyor(root, atRoot, places)
  surveyor.script(command, { directories: ['.'], certain: new Set(), depth: 0, stdin: { type: 'none' } })
  return surveyor
}

const MAX_SCRIPT_DEPTH = 8

class Surveyor implements Survey {
  readonly commands: SurveyedCommand[] = []
  readonly files: SurveyedFile[] = []
  readonly cautions: Caution[] = []
  problem: string | null = null
  readonly #root: string
  readonly #around: Around
  readonly #assigned = newAssigned()
  #allowance = MAX_NODES

  constructor(root: string, atRoot: boolean, places: DirectoryLookup) {
    this.#root = root
    this.#around = { atRoot, places, files: this.files, commands: this.commands }
  }

  script(text: string, scope: LineScope) {
    if (scope.depth > MAX_SCRIPT_DEPTH) this.problem ??= 'is nested too deeply'
    if (this.problem !== null || (scope.depth > 0 && text.trim() === '')) return
    const found = readShellScript(text, this.#allowance)
    if (!found.ok) {
      this.problem = found.problem
      return
    }
    this.#allowance -= found.nodes
    collectAssigned(found.script, this.#assigned)
    this.#visit(found.script, scope)
  }

  #visit(node: SyntaxNode, scope: LineScope) {
    switch (node.type) {
      case 'Statement':
        return this.#statement(node, scope)
      case 'AndOr':
        return this.#andOr(node, scope)
      case 'Pipeline':
        return this.#pipeline(node, scope)
      case 'Command':
        return this.#command(node, scope)
      case 'For':
        return this.#loop(node, scope)
      case 'Function':
        this.cautions.push({ reason: 'defines a function' })
        return this.#children(node, { ...copy(scope), stdin: { type: 'unknown' } })
      case 'Assignment':
        this.#assignment(node)
        return this.#children(node, copy(scope))
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        this.#redirection(node, scope)
        return this.#children(node, copy(scope))
      case 'TestUnary':
      case 'TestBinary':
        this.#doubt(checkTest(node, this.#assigned))
        return this.#children(node, scope)
      case 'ArithmeticExpansion':
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
        this.#doubt(checkArithmetic(node, this.#assigned))
        return this.#compound(node, scope)
      case 'ArithmeticBinary':
      case 'ArithmeticUnary':
        this.#sets(arithmeticTarget(node), null)
        return this.#compound(node, scope)
      case 'FileDescriptorVariable':
        return this.#sets(node.name, null)
      case 'Select':
        this.#sets(node.name.value, null)
        return this.#compound(node, scope)
      case 'ParameterExpansion':
        this.#doubt(checkParameter(node, this.#assigned))
        if (node.operation?.type === 'Default' && node.operation.operator.includes('='))
          this.#sets(node.parameter, null)
        return this.#children(node, copy(scope))
      case 'Redirected':
        return this.#redirected(node, scope)
      case 'Script':
      case 'CompoundList':
      case 'BraceGroup':
        return this.#children(node, scope)
      case 'Coproc':
        this.#sets(node.name?.value ?? '', null)
        return this.#children(node, { ...copy(scope), stdin: { type: 'pipe' } })
      case 'Subshell':
      case 'CommandExpansion':
      case 'ProcessSubstitution':
        return this.#children(node, copy(scope))
      default:
        return this.#compound(node, scope)
    }
  }

  #children(node: SyntaxNode, scope: LineScope) {
    forEachChild(node, (child) => this.#visit(child, scope))
  }

  /** Which parts run, and in which order, is unknown: every directory they change to is possible. */
  #compound(node: SyntaxNode, scope: LineScope) {
    const inner = copy(scope)
    forEachChild(node, (child) => {
      const before = inner.directories
      this.#visit(child, inner)
      inner.directories = eitherOf(before, inner.directories)
    })
    scope.directories = eitherOf(scope.directories, inner.directories)
  }

  /** Every command of a group may read the group's input. */
  #redirected(node: Redirected, scope: LineScope) {
    const { stdin } = scope
    const inner = { ...scope, stdin: redirectedInput(node.redirects, stdin) }
    this.#compound(node, inner)
    scope.directories = inner.directories
  }

  #statement(node: Statement, scope: LineScope) {
    const before = scope.directories
    this.#visit(node.command, node.background === true ? copy(scope) : scope)
    if (!surelyChanges(node, scope.directories, this.#around))
      scope.directories = eitherOf(before, scope.directories)
  }

  #andOr(node: AndOr, scope: LineScope) {
    const before = scope.directories
    let chain = scope
    node.commands.forEach((command, at) => {
      if (at === 1) chain = copy(scope)
      if (node.operators[at - 1] === '||') {
        chain = { ...copy(scope), directories: eitherOf(before, chain.directories) }
      }
      this.#visit(command, chain)
    })
    scope.directories = eitherOf(scope.directories, chain.directories)
  }

  #pipeline(node: Pipeline, scope: LineScope) {
    let stdin = scope.stdin
    for (const command of node.commands) {
      const inner = node.commands.length === 1 ? scope : copy(scope)
      this.#visit(command, node.commands.length === 1 ? inner : { ...inner, stdin })
      stdin = pipedInput(command, stdin)
    }
  }

  #loop(node: For, scope: LineScope) {
    this.#sets(node.name.value, null)
    const inner = copy(scope)
    inner.certain.add(node.name.value)
    for (const word of node.wordlist ?? []) this.#visit(word, copy(scope))
    this.#compound(node.body, inner)
    scope.directories = eitherOf(scope.directories, inner.directories)
  }

  #sets(name: string, value: string | null) {
    const found = readAssigned(name, value)
    this.cautions.push(...found.cautions)
    for (const inner of found.inner) if (inner.type === 'unknown') this.#unknown(inner.reason)
    if (found.suspects.length > 0)
      this.commands.push({ ...NOTHING_KNOWN, uncertain: null, suspects: found.suspects, cautions: [] })
  }

  #assignment(node: Assignment) {
    const variables = this.#variables(new Set())
    const value = node.value.type === 'Word' ? knownText(node.value, variables) : null
    this.#sets(node.name, value)
    if (value !== null && looksEvaluated(value)) this.#unknown(`sets ${node.name} to text that may run`)
    const elements = node.value.type === 'Word' ? [] : node.value.elements
    const computed =
      (node.index !== undefined && !/^\d+$/.test(node.index.text)) ||
      elements.some(({ text }) => text.startsWith('[') && !/^\[\d+\]/.test(text))
    if (computed) this.#doubt('computes a subscript')
  }

  #redirection(node: Redirection, scope: LineScope) {
    if (node.type !== 'Redirect') return
    if (node.target === undefined) return
    const read = node.operator === '<' || node.operator === '<&'
    for (const field of expandWord(node.target, this.#variables(scope.certain)).flat()) {
      const duplicates = node.operator.endsWith('&') && /^(\d+-?|-)$/.test(field.text)
      if (duplicates) continue
      const use = {
        access: read ? 'read' : 'write',
        field,
        directories: scope.directories,
        redirected: !read,
      } as const
      this.files.push(use)
    }
  }

  #command(node: Command, scope: LineScope) {
    const variables = this.#variables(scope.certain)
    const words = node.name === undefined ? [] : [node.name, ...node.args]
    const computed = node.name !== undefined && isComputed(node.name)
    const stdin = redirectedInput(node.redirects, scope.stdin)
    const lines = combineWords(words.map((word) => this.#expand(word, variables)))
    if (lines.some(({ length }) => length > MAX_NODES)) this.problem ??= 'has too many parts'
    for (const fields of lines) {
      this.#run(fields, { ...scope, stdin }, { computed })
    }
    this.#children(node, copy(scope))
    rememberAssigned(node, scope)
    if (lines.length > 0) scope.directories = changedDirectories(lines, scope.directories, this.#root)
  }

  #expand(word: CommandArgument, variables: ReturnType<typeof variablesAt>): readonly (readonly Field[])[] {
    if (word.type === 'Word') return expandWord(word, variables)
    const values = word.value.type === 'Word' ? expandWord(word.value, variables) : [[unknownField]]
    const name = word.text.slice(0, Math.max(0, word.text.indexOf('=')))
    return values.map((fields) => {
      const text = `${name}=${joinText(fields)}`
      return [{ ...staticField(text), uncertain: fields.every(isStatic) ? text : `${name}=${UNKNOWN}` }]
    })
  }

  /** Surveys one simple command and everything it runs. */
  #run(fields: readonly Field[], scope: LineScope, { via = [], given, computed = false }: Start = {}) {
    const [name, ...args] = fields
    if (name === undefined || this.problem !== null) return
    if (this.commands.length >= MAX_NODES || scope.depth > MAX_SCRIPT_DEPTH) {
      this.problem = 'runs too many commands'
      return
    }
    const known = isStatic(name) && name.text !== ''
    const program = name.text.slice(name.text.lastIndexOf('/') + 1)
    const found = known ? readCommand({ program, args, stdin: scope.stdin }) : reading({})
    const own = this.#surveyed({ name, args, program, known, found, via, given })
    const cautions = [
      ...own.cautions,
      ...(computed || !known ? [{ reason: 'computes the name of a command' }] : []),
      ...runsElsewhere(name, program, scope.directories, this.#around),
    ]
    this.commands.push({ ...own, cautions })
    for (const use of found.files)
      this.files.push({ ...use, directories: scope.directories, redirected: false })
    const next = { ...copy(scope), depth: scope.depth + 1 }
    for (const inner of found.inner) this.#inner(inner, next, via)
  }

  #surveyed({ name, args, program, known, found, via, given }: Ran): SurveyedCommand {
    const fields = [name, ...args]
    const plain = { ...staticField(program), uncertain: known ? program : UNKNOWN, loose: name.loose }
    const opened = found.inner.flatMap((inner) =>
      inner.type === 'unknown' && inner.word !== undefined ? [inner] : [],
    )
    const partly = fields.every(isStatic) ? null : joinUncertain([plain, ...args])
    return {
      text: joinText(fields),
      aliases: forbiddenSpellings(
        [{ ...name, text: program }, ...args],
        [...found.aliases, ...found.plain, ...hiddenTexts(args, found)],
      ),
      uncertain: opened.length > 0 ? UNKNOWN : partly,
      plain: found.plain.map(joinText),
      wrapped: via.flatMap((words) =>
        [fields, ...(given ? [given] : [])].map((each) => ({
          text: joinText([...words, ...each]),
          spelled: joinText([...words, name]),
        })),
      ),
      suspects: found.suspects,
      cautions: [...found.cautions, ...opened],
      guards: found.guards,
      fields,
    }
  }

  /** A wrapper may change the directory, as `cd` does. */
  #at(directory: Field | undefined, scope: LineScope): LineScope {
    if (directory === undefined) return scope
    const line = [staticField('cd'), directory]
    return { ...scope, directories: changedDirectories([line], scope.directories, this.#root) }
  }

  #inner(inner: Inner, scope: LineScope, via: Via) {
    switch (inner.type) {
      case 'command':
        return this.#run(inner.fields, this.#at(inner.directory, scope), {
          via: chained(via, inner.via ?? []),
          ...(inner.given ? { given: inner.given } : {}),
        })
      case 'script':
        return this.script(inner.text, this.#at(inner.directory, scope))
      case 'unknown':
        return this.#hidden(inner)
    }
  }

  /** A pattern that includes the option covers any command, but not every file. */
  #hidden({ reason, word }: Extract<Inner, { type: 'unknown' }>) {
    if (word === undefined) this.#unknown(reason)
    else this.#reachesAnything()
  }

  #reachesAnything() {
    for (const use of REACHES_ANYTHING) this.files.push({ ...use, directories: null, redirected: false })
  }

  /** An unknown command: every restricting rule may match it. */
  #unknown(reason: string) {
    this.commands.push({ ...NOTHING_KNOWN, cautions: [{ reason }] })
    this.#reachesAnything()
  }

  #doubt(reason: string | null) {
    if (reason === null) return
    this.cautions.push({ reason })
    this.#unknown(reason)
  }

  #variables(certain: ReadonlySet<string>) {
    return variablesAt(this.#assigned, certain, this.#root)
  }
}

const NOTHING_KNOWN = {
  text: UNKNOWN,
  uncertain: UNKNOWN,
  aliases: [],
  plain: [],
  wrapped: [],
  suspects: [],
  guards: [],
  fields: [unknownField],
}

/** The wrapper words before a command, in each spelling. */
type Via = readonly (readonly Field[])[]

interface Ran {
  readonly name: Field
  readonly args: readonly Field[]
  readonly program: string
  readonly known: boolean
  readonly found: Reading
  readonly via: Via
  readonly given: readonly Field[] | undefined
}

/** How a command is started. `via`: the wrappers before it. */
interface Start {
  readonly via?: Via
  readonly given?: readonly Field[]
  readonly computed?: boolean
}

const MAX_VIA = 8

/** An inner wrapper's words follow the outer one's, up to the limit. */
function chained(outer: Via, inner: Via): Via {
  const all = outer.length === 0 ? inner : outer.flatMap((words) => inner.map((more) => [...words, ...more]))
  return all.slice(0, MAX_VIA)
}
