import { describe, expect, it } from 'vitest'
import { answerWord, chosenAnswer } from './chosen-answer.ts'

const options = ['this', 'that']

describe('an answer to a question with options', () => {
  it.each([
    ['1', 'this'],
    [' 2 ', 'that'],
    ['1.0', '1.0'],
    ['that', 'that'],
    ['  neither  ', 'neither'],
    ['', ''],
    ['"3"', '3'],
    ['"1"', '1'],
    ['"three"', '"three"'],
  ])('%j is %j', (typed, text) => {
    expect(chosenAnswer(options, typed)).toEqual({ text })
  })

  it.each(['3', '0', '01', '-1', '+3', '99999999999999999999'])('%s is the number of none', (typed) => {
    expect(chosenAnswer(options, typed)).toEqual({
      text: typed,
      problem: `${typed} is not the number of an option`,
    })
  })

  it('is an option that is a number by its text', () => {
    expect(chosenAnswer(['2', '1'], '1').text).toBe('1')
    expect(chosenAnswer(['8080', '9090'], '2').text).toBe('9090')
  })
})

it('to a question without options, every text is an answer', () => {
  expect(chosenAnswer([], ' 7 ')).toEqual({ text: '7' })
  expect(chosenAnswer([], '"7"')).toEqual({ text: '"7"' })
})

it('a command line names options only where there are some', () => {
  expect([answerWord({ options }), answerWord({ options: [] })]).toEqual(['OPTION|TEXT', 'TEXT'])
})
