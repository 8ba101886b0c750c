import type { MarkedToken, Token, Tokens } from 'marked'
import { memo, useRef, type ReactNode } from 'react'
import { toBlocks, type Block } from './markdown-blocks.ts'
import { CodeBlock } from './code-block.tsx'
import { Inline } from './inline.tsx'

/**
 * Markdown as elements, never as markup, so that nothing in it can run. While a text grows, finished blocks are not
 * drawn again.
 */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const blocks = useBlocks(text, streaming)
  return blocks.map((block, index) => <MarkdownBlock key={index} block={block} />)
}

function useBlocks(text: string, streaming: boolean): readonly Block[] {
  const last = useRef<{ text: string; streaming: boolean; blocks: readonly Block[] }>(undefined)
  const known = last.current
  if (known?.text === text && known.streaming === streaming) return known.blocks
  const blocks = toBlocks(text, streaming ? known?.blocks : undefined)
  last.current = { text, streaming, blocks }
  return blocks
}

const MarkdownBlock = memo(
  ({ block }: { block: Block }) => <BlockToken token={block.token as MarkedToken} />,
  (before, after) => before.block === after.block || before.block.raw === after.block.raw,
)

function BlockToken({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading depth={token.depth} tokens={token.tokens} />
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.split(/\s/)[0] ?? ''} />
    case 'blockquote':
      return <blockquote dir="auto">{blocksOf(token.tokens)}</blockquote>
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'html':
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {token.raw.trimEnd()}
        </p>
      )
    default:
      return <Inline tokens={[token]} />
  }
}

function blocksOf(tokens: readonly Token[]): ReactNode {
  return tokens.map((token, index) => <BlockToken key={index} token={token as MarkedToken} />)
}

/** The page has its own headings above: those of a text start below them. */
function Heading({ depth, tokens }: { depth: number; tokens: readonly Token[] }) {
  const Tag = depth <= 1 ? 'h3' : depth === 2 ? 'h4' : depth === 3 ? 'h5' : 'h6'
  return (
    <Tag dir="auto">
      <Inline tokens={tokens} />
    </Tag>
  )
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => <li key={index}>{blocksOf(item.tokens)}</li>)
  if (!list.ordered) return <ul dir="auto">{items}</ul>
  return (
    <ol dir="auto" start={Number(list.start) || 1}>
      {items}
    </ol>
  )
}

const ALIGNED = { left: 'text-left!', center: 'text-center!', right: 'text-right!' } as const

/** A cell is at least as wide as its longest word; wider tables scroll. */
function Table({ table }: { table: Tokens.Table }) {
  return (
    <div className="scrolls overflow-x-auto" tabIndex={0} role="region" aria-label="Table">
      <table dir="auto">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" dir="auto" className={alignOf(cell)}>
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} dir="auto" className={alignOf(cell)}>
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function alignOf({ align }: Tokens.TableCell): string | undefined {
  return align ? ALIGNED[align] : undefined
}
