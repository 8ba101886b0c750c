import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OfflineWorkspace } from '../../../test/support/offline-workspace.ts'
import { CLOSING } from './answer.ts'
import { citationsIn } from './citation.ts'

let workspace: OfflineWorkspace

beforeEach(async () => {
  workspace = new OfflineWorkspace(await mkdtemp(join(tmpdir(), 'offline-')))
})

afterEach(() => rm(workspace.root, { recursive: true, force: true }))

const firstLine = (text: string) => text.split('\n')[0]!

/** The citations under the first heading of an answer. */
const leading = (text: string) => citationsIn(text.split(/^\*\*/m)[1] ?? '')

describe('data from stdin', () => {
  const LOG = ['start', '  ok `parcel`', 'ERROR: shipping failed: unknown country', '# done', '', 'bye'].join(
    '\n',
  )
  const beside = (question: string, data = LOG) => `${question}\n\nData from stdin:\n\`\`\`\n${data}\n\`\`\``

  test('is what is searched and quoted, and its words are not looked for', async () => {
    await workspace.write(SHOP)
    for (const agent of ['main', 'explore']) {
      const { text } = await workspace.ask(beside('Why did the shipping fail?'), { agent })
      expect(text).toBe(
        [
          'I searched the data from stdin (6 lines), and not the workspace.',
          '**Lines that mention shipping, fail**',
          '      3 | ERROR: shipping failed: unknown country',
          CLOSING,
        ].join('\n\n'),
      )
    }
  })

  test('without a word of the question is shown from its beginning', async () => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask(beside('Where is the thumbnail drawn?'))
    expect(text).toContain('None of them mentions thumbnail')
    expect(text).toContain('\n      1 | start\n      2 |   ok `parcel`\n')
  })

  test('has its line numbers, however long it is', async () => {
    const long = [...Array(40_000).keys()].map((n) => `line ${n}`)
    const { text } = await workspace.ask(
      beside('Where is the voucher?', [...long, 'a voucher', ...long].join('\n')),
    )
    expect(text).toContain('      40001 | a voucher\n')
  })
})

describe('a word that no code holds', () => {
  test.each([
    ['Where are websocket messages broadcast?', /^No code here mentions .*websocket/],
    ['How is the database connection opened?', /^No code here mentions .*database/],
    ['Which tests cover the thumbnail generator?', /^No code here mentions .*thumbnail/],
    ['Where is the shipment encrypted, and which tests cover it?', /^No code here mentions .*encrypted/],
  ])('leads the answer: %s', async (question, expected) => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask(question)
    expect(firstLine(text)).toMatch(expected)
    expect(text).not.toMatch(/most likely/i)
    await workspace.trueCitations(text)
  })

  test('is named although the documentation mentions it', async () => {
    await workspace.write({ ...SHOP, 'README.md': '# Shop\n\nA thumbnail of each parcel would be nice.\n' })
    for (const question of ['Where is the thumbnail of a parcel drawn?', 'Where is the thumbnail?']) {
      const { text } = await workspace.ask(question)
      expect(firstLine(text)).toMatch(/^No code here mentions .*thumbnail/)
    }
  })

  test('leads the answer of an agent that searches by itself, too', async () => {
    await workspace.write(SHOP)
    for (const agent of ['main', 'explore']) {
      const { text } = await workspace.ask('Where are websocket messages sent?', { agent, delegates: false })
      expect(firstLine(text)).toMatch(/^No code here mentions .*websocket/)
    }
  })

  test.each([
    ['Where is the shipping price decided?', 'src/shipping.py'],
    ['How does the shop react to an unknown country?', 'src/shipping.py'],
    ['Where is the parcel chosen for a shipment?', 'src/parcels.py'],
  ])('is not claimed of the words around the subject: %s', async (question, path) => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask(question)
    expect(firstLine(text)).toMatch(/most likely/)
    expect(leading(text)[0]).toMatchObject({ path })
  })

  test.each([
    ['Where are the letters sent?', 'letters_sent = 0\n\n\ndef post(letters):\n    return letters\n'],
    ['Where is the environment read?', 'def read_env(env):\n    return env["HOME"]\n'],
    ['Wo werden Adressen validiert?', 'def validate_address(address):\n    return address\n'],
  ])('is looked for in all its forms: %s', async (question, code) => {
    await workspace.write({ 'src/code.py': code })
    expect(firstLine((await workspace.ask(question)).text)).not.toMatch(/^No code/)
  })

  test('takes only words of the question from a report', async () => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask('Where is the shipping price decided?', {
      runTask: () =>
        Promise.resolve({ type: 'text', value: 'No code here mentions **safety**, price.\n\nNothing.' }),
    })
    expect(text).not.toContain('safety')
    expect(firstLine(text)).toMatch(/^No code here mentions price\./)
  })
})

describe('tests of all kinds', () => {
  test.each([
    ['test.c', 'void check_parcel(void) {\n  assert(parcel_weight(1) == 2);\n}\n', 2],
    ['tests.py', 'def check_parcel_weight():\n    assert parcel_weight(1) == 2\n', 1],
    ['tests.rs', '#[test]\nfn parcel_weight_of_one() {\n    assert_eq!(parcel_weight(1), 2);\n}\n', 2],
    ['unit_tests.rb', 'def parcel_weight_of_one\n  assert_equal 2, parcel_weight(1)\nend\n', 1],
    ['spec/parcel.lua', 'local function parcel_weight_of_one()\n  assert(parcel_weight(1) == 2)\nend\n', 1],
  ])('%s is a test', async (path, body) => {
    await workspace.write({ 'src/parcel.c': 'int parcel_weight(int size) {\n  return size * 2;\n}\n' })
    await workspace.write({ [path]: body })
    const { text } = await workspace.ask('Which tests cover the parcel weight?')
    expect(leading(text)[0]).toMatchObject({ path })
    const { text: code } = await workspace.ask('Where is the parcel weight?')
    expect(leading(code)[0]).toMatchObject({ path: 'src/parcel.c', line: 1 })
  })

  test('what follows #[cfg(test)] in a source file is a test, what is above it is not', async () => {
    await workspace.write({
      'src/parcel.rs':
        'pub fn parcel_weight(size: u32) -> u32 {\n    size * 2\n}\n\n#[cfg(test)]\nmod checks {\n    use super::*;\n\n    fn weigh(size: u32) -> u32 {\n        parcel_weight(size)\n    }\n\n    #[test]\n    fn parcel_weight_doubles() {\n        assert_eq!(weigh(1), 2);\n    }\n}\n',
    })
    const { text } = await workspace.ask('Which tests cover the parcel weight?')
    expect(leading(text).length).toBeGreaterThan(0)
    for (const { line } of leading(text)) expect(line).toBeGreaterThan(4)
    const { text: code } = await workspace.ask('Where is the parcel weight computed?')
    expect(leading(code)[0]).toMatchObject({ line: 1 })
    expect(leading(code).every(({ line }) => line < 5)).toBe(true)
  })
})

describe('what is ranked', () => {
  test('a block that speaks of the question wins over a name that shares one word', async () => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask('Where is the price of an express shipment raised on weekends?')
    expect(leading(text)[0]).toMatchObject({ path: 'src/shipping.py', line: 11 })
  })

  test('where a question asks what happens, the line that raises comes first', async () => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask('What happens when the country is unknown?')
    expect(leading(text)[0]).toMatchObject({ path: 'src/shipping.py', line: 7 })
    expect(leading(text)[0]!.excerpt).toContain('raise ShippingError')
  })

  test.each([
    [
      'a.c',
      'int divide(int a, int b) {\n  int c = 0;\n  if (b == 0)\n    return type_error(a, "zero");\n  return a / b + c;\n}\n',
      4,
    ],
    [
      'a.go',
      'func divide(a, b int) (int, error) {\n\tif b == 0 {\n\t\treturn 0, fmt.Errorf("zero")\n\t}\n\treturn a / b, nil\n}\n',
      3,
    ],
    [
      'a.rs',
      'fn divide(a: u8, b: u8) -> Result<u8> {\n    if b == 0 {\n        return Err(anyhow!("zero"));\n    }\n    Ok(a / b)\n}\n',
      3,
    ],
    [
      'a.ts',
      'function divide(a: number, b: number) {\n  if (b === 0) throw new RangeError("zero")\n  return a / b\n}\n',
      2,
    ],
  ])('%s: the error is found', async (path, body, line) => {
    await workspace.write({ [path]: body })
    const { text } = await workspace.ask('What happens when something is divided by zero?')
    expect(leading(text)[0]).toMatchObject({ path, line })
  })
})

describe('the words of a question and of the code may differ', () => {
  test.each([
    ['What happens when the user presses Ctrl-C?', 'app/run.py'],
    ['How is a line painted in a colour?', 'app/paint.py'],
    ['How are gitignore rules respected?', 'app/walk.py'],
    ['How is the timed run normalised?', 'app/clock.py'],
    ['Where is the rate limit computed?', 'app/limits.py'],
    ['How is the delay of a job chosen?', 'app/jobs.py'],
  ])('%s', async (question, path) => {
    await workspace.write(APP)
    const { text } = await workspace.ask(question)
    expect(leading(text)[0]).toMatchObject({ path })
  })

  test('where only what is done is missing, the closest place is named all the same', async () => {
    await workspace.write(APP)
    const { text } = await workspace.ask('How is the delay of a job encrypted?')
    expect(firstLine(text)).toMatch(
      /^No code here mentions encrypted\. The closest match is app\/jobs\.py, line 1/,
    )
    expect(firstLine((await workspace.ask('How is the invoice of a job delayed?')).text)).toBe(
      'No code here mentions invoice. The places below match other words of the question.',
    )
  })

  test('words that only imports hold make no sure answer', async () => {
    await workspace.write({
      'a.py': 'from email.utils import send_date\nfrom http import message\n\n\nX = 1\n',
    })
    expect(firstLine((await workspace.ask('Where are emails sent?')).text)).not.toContain('most likely')
  })

  test('a module of tests that is another file ends no program', async () => {
    await workspace.write({
      'src/main.rs': `#[cfg(test)]\nmod tests;\n\nfn parse_offset(text: &str) -> u64 {\n    let sign = text.len();\n    text.parse().unwrap() + sign\n}\n`,
    })
    expect(leading((await workspace.ask('How is an offset parsed?')).text)[0]).toMatchObject({
      path: 'src/main.rs',
      line: 4,
    })
  })
})

describe('how it reads', () => {
  test('three to five lines of the first hit are shown, with their numbers, as they are in the file', async () => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask('Where is the shipping price decided?')
    const [first] = leading(text)
    const shown = [...text.matchAll(/^ {6,}(\d+) \| (.*)$/gm)]
    expect(shown.length).toBeGreaterThanOrEqual(3)
    expect(shown.length).toBeLessThanOrEqual(5)
    for (const [, number, line] of shown)
      expect(await workspace.lineAt(first!.path, Number(number))).toContain(line!.trim())
    expect(shown.some(([, number]) => Math.abs(Number(number) - first!.line) <= 4)).toBe(true)
  })

  test.each([
    'Where is the shipping price decided, and which tests cover it?',
    'How does the shop ship a parcel?',
    'What happens when the country is unknown?',
  ])('the question is not pasted into the answer: %s', async (question) => {
    await workspace.write(SHOP)
    const { text } = await workspace.ask(question)
    const words = question.toLowerCase().split(/[^a-z]+/)
    for (let at = 0; at + 4 <= words.length; at++)
      expect(text.toLowerCase().replace(/[^a-z]+/g, ' ')).not.toContain(words.slice(at, at + 4).join(' '))
    expect(firstLine(text)).toMatch(/^[A-Z].*\.$/)
  })

  test('lines of a file cannot become markup of the answer', async () => {
    await workspace.write({
      'src/price.js':
        'export function price() {\n  // ```\n  // # price <b>\n  return `price \u001b[31m` // price\n}\n',
    })
    const { text } = await workspace.ask('Where is the price?')
    expect(text).not.toContain('\u001b')
    for (const row of text.split('\n').filter((each) => /```|<b>/.test(each))) expect(row).toMatch(/^ {6}/)
  })
})

const APP = {
  'README.md': '# App\n\nPress Ctrl-C to end it. It has colours and a rate limit.\n',
  'scripts/README.md': '# Examples\n\nHow the delay of a job is chosen.\n',
  'app/cli.py':
    'def build_parser(parser):\n    parser.add_argument("--delay", help="The delay of a job, chosen by the user for the job.")\n    parser.add_argument("--color", help="Whether colors are added to each line that is printed.")\n    parser.add_argument("--limit", help="The rate limit that is computed for each of the users.")\n    return parser\n',
  'app/run.py':
    'def run(task):\n    try:\n        return task()\n    except KeyboardInterrupt:\n        raise SystemExit(130)\n',
  'app/paint.py':
    'def paint(line, color):\n    code = CODES[color]\n    start = "\\x1b[" + code\n    return start + line + END\n',
  'app/walk.py':
    'def walk(root, git_ignore):\n    rules = git_ignore.rules(root)\n    for path in root:\n        if not rules.match(path):\n            yield path\n',
  'app/clock.py':
    'def normalize(run_time, best):\n    share = run_time / best\n    total = share * 100\n    return round(total)\n',
  'app/limits.py':
    'def ratelimit(requests, window):\n    used = len(requests)\n    left = window - used\n    return max(0, left)\n',
  'app/jobs.py':
    'def pick_delay(job, tries):\n    base = job.delay\n    factor = 2 ** tries\n    return base * factor\n',
}

const SHOP = {
  'README.md': '# Shop\n\nSends parcels.\n',
  'pyproject.toml': '[project]\nname = "shop"\n',
  'src/shipping.py':
    'class ShippingError(Exception):\n    """A shipment that cannot be sent."""\n\n\ndef shipping_price(parcel, country):\n    if country not in RATES:\n        raise ShippingError(f"unknown country {country}")\n    return RATES[country] * parcel.weight\n\n\ndef surcharge(shipment, day):\n    """The price of an express shipment is raised on weekends."""\n    if shipment.express and day in WEEKEND:\n        return shipment.price * 1.5\n    return shipment.price\n\n\nRATES = {"at": 1, "de": 2}\nWEEKEND = (5, 6)\n',
  'src/express.py':
    'class Express:\n    """A courier."""\n\n    def __init__(self, name):\n        self.name = name\n',
  'src/parcels.py':
    'def parcel_for(shipment):\n    """The smallest parcel that holds the shipment."""\n    fitting = [parcel for parcel in PARCELS if parcel.size >= shipment.size]\n    return min(fitting, key=lambda parcel: parcel.size)\n\n\ndef ship(parcel):\n    send(parcel.messages)\n\n\nPARCELS = []\n',
  'tests/test_shipping.py':
    'def test_shipping_price():\n    assert shipping_price(parcel(2), "at") == 2\n\n\ndef test_surcharge_on_weekends():\n    assert surcharge(shipment(express=True), 6) == 3\n',
}
