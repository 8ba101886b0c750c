import { describe, expect, it } from 'vitest'
import { baseUrl } from './base-url.ts'

describe('baseUrl', () => {
  it.each([
    ['anthropic', 'http://127.0.0.1:4010', 'http://127.0.0.1:4010/v1'],
    ['anthropic', 'https://api.anthropic.com/', 'https://api.anthropic.com/v1'],
    ['anthropic', 'https://api.anthropic.com/v1/', 'https://api.anthropic.com/v1'],
    ['anthropic', 'https://proxy.example/anthropic', 'https://proxy.example/anthropic/v1'],
    ['openai', 'http://localhost:8000', 'http://localhost:8000/v1'],
    ['openai', 'http://localhost:8000/v1', 'http://localhost:8000/v1'],
    ['openai', 'https://api.z.example/api/paas/v4/', 'https://api.z.example/api/paas/v4'],
    [
      'google',
      'https://generativelanguage.googleapis.com',
      'https://generativelanguage.googleapis.com/v1beta',
    ],
    ['google', 'http://127.0.0.1:1/v1beta', 'http://127.0.0.1:1/v1beta'],
    ['google', 'http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1'],
    ['ollama', '', 'http://127.0.0.1:11434/v1'],
    ['ollama', '0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['ollama', '0.0.0.0:9', 'http://127.0.0.1:9/v1'],
    ['ollama', ':1234', 'http://127.0.0.1:1234/v1'],
    ['ollama', 'gpu-box', 'http://gpu-box:11434/v1'],
    ['ollama', 'gpu-box:80', 'http://gpu-box/v1'],
    ['ollama', 'https://ollama.example', 'https://ollama.example/v1'],
    ['ollama', 'http://ollama.example:99/v1', 'http://ollama.example:99/v1'],
  ] as const)('%s takes %j as %s', (form, url, expected) => {
    expect(baseUrl[form](url, 'X_URL')).toBe(expected)
  })

  it.each(['anthropic', 'openai', 'google', 'ollama'] as const)('%s refuses what is no URL', (form) => {
    for (const url of ['http://', 'ht tp://x y', 'http://a b/']) {
      expect(() => baseUrl[form](url, 'X_URL')).toThrow(
        expect.objectContaining({ code: 'config', message: expect.stringContaining('X_URL') }),
      )
    }
  })
})
