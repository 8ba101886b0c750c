import { durationWords } from 'offshoot/client'
import type { QuestionRow } from 'offshoot/protocol'
import { useRef, useState } from 'react'
import { useAskCard } from '../state/ask-places.ts'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'
import { useNow } from '../ui/use-now.ts'
import { Icon } from '../ui/icon.tsx'

/** A question of an agent. Every option is an answer, and so is any other text. */
export function QuestionCard({ question }: { question: QuestionRow }) {
  const verbs = useVerbs()
  const card = useRef<HTMLElement>(null)
  useAskCard(question.id, card)
  const now = useNow()
  const [text, setText] = useState('')
  const answer = (words: string) => verbs.answer(question, words)
  return (
    <section
      ref={card}
      aria-label={`Question: ${question.question}`}
      tabIndex={0}
      data-question={question.id}
      className="rounded-lg border border-needs-line bg-needs-soft p-3"
    >
      <header className="flex flex-wrap items-center gap-x-2 text-sm">
        <Icon name="question" size={14} className="text-needs" />
        <span className="font-medium text-needs">{question.path.join(' › ')}</span>
        <span className="text-ink-2">asks you</span>
        <span className="ml-auto text-xs text-ink-2 tabular-nums">
          {`#${question.number} · waiting ${durationWords(now - question.askedAt)}`}
        </span>
      </header>
      <p className="mt-1.5 text-sm wrap-anywhere whitespace-pre-wrap">{question.question}</p>
      <div className="mt-2.5 flex flex-wrap gap-1.5">
        {question.options.map((option) => (
          <Button
            key={option}
            onPress={() => answer(option)}
            className="h-auto min-h-7 py-1 whitespace-normal"
          >
            {option}
          </Button>
        ))}
      </div>
      <form
        className="mt-2 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim()) answer(text.trim())
        }}
      >
        <input
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-label="Your answer"
          placeholder={question.options.length > 0 ? 'Or something else' : 'Your answer'}
          className="h-7 min-w-0 flex-1 rounded border border-line-strong bg-ground px-2 text-sm"
        />
        <Button type="submit" look="primary" isDisabled={!text.trim()}>
          Answer
        </Button>
      </form>
    </section>
  )
}
