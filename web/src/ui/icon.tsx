import type { ReactNode } from 'react'

/** Strokes on a grid of 16. An icon always has visible text beside it or an accessible label. */
const SHAPES = {
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  minus: <path d="M3.5 8h9" />,
  fit: <path d="M2.5 4v8M13.5 4v8M5 8h6M6.5 6.5 5 8l1.5 1.5M9.5 6.5 11 8l-1.5 1.5" />,
  search: <path d="m13 13-3-3M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z" />,
  right: <path d="m6.5 4 4 4-4 4" />,
  left: <path d="m9.5 4-4 4 4 4" />,
  down: <path d="m4 6.5 4 4 4-4" />,
  up: <path d="m4 9.5 4-4 4 4" />,
  'arrow-up': <path d="M8 13V3.5M4 7l4-3.5L12 7" />,
  'arrow-down': <path d="M8 3v9.5M4 9l4 3.5L12 9" />,
  check: <path d="m3.5 8.5 3 3 6-7" />,
  x: <path d="m4 4 8 8M12 4l-8 8" />,
  pause: <path d="M5.5 4v8M10.5 4v8" />,
  play: <path d="M5.5 3.8v8.4L12 8 5.5 3.8Z" />,
  stop: <rect x="4.5" y="4.5" width="7" height="7" rx="1.5" fill="currentColor" />,
  flag: <path d="M4 14V2.5M4 3h7.5L9.8 5.8l1.7 2.7H4" />,
  running: <path d="M8 2.5A5.5 5.5 0 1 1 2.5 8" />,
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  queued: (
    <path d="M4.5 2.5h7M4.5 13.5h7M5.5 2.5c0 3 5 3.5 5 5.5s-5 2.5-5 5.5M10.5 2.5c0 3-5 3.5-5 5.5s5 2.5 5 5.5" />
  ),
  fork: (
    <>
      <circle cx="4.5" cy="4" r="1.6" />
      <circle cx="11.5" cy="4" r="1.6" />
      <circle cx="8" cy="12.3" r="1.6" />
      <path d="M4.5 5.6c0 2.6 3.5 1.9 3.5 5.1M11.5 5.6c0 2.6-3.5 1.9-3.5 5.1" />
    </>
  ),
  main: (
    <>
      <circle cx="8" cy="8" r="2.2" />
      <path d="M8 2v3.8M8 10.2V14" />
    </>
  ),
  subagent: <path d="m8 2.8 5.2 5.2L8 13.2 2.8 8 8 2.8Z" />,
  file: <path d="M9.5 2.5h-5v11h7v-9l-2-2Zm0 0v2h2M6.5 8h3M6.5 10.5h3" />,
  edit: <path d="m3 13 .6-2.6L11 3l2 2-7.4 7.4L3 13ZM9.7 4.3l2 2" />,
  terminal: <path d="m3 4.5 3.5 3.5L3 11.5M8 12h5" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2.8 3 2.8 8 0 11-2.8-3-2.8-8 0-11Z" />
    </>
  ),
  list: <path d="M6 4.5h7M6 8h7M6 11.5h7M3 4.5h.01M3 8h.01M3 11.5h.01" />,
  question: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.5c.2-2 3.3-1.9 3.2.1 0 1.2-1.6 1.3-1.6 2.4M8 11.2h.01" />
    </>
  ),
  tool: (
    <path d="m9.2 6.8 3.9-3.9M10.3 2.6a3 3 0 0 0-3.7 4L2.7 10.5a1.9 1.9 0 0 0 2.7 2.7l3.9-3.9a3 3 0 0 0 4-3.7" />
  ),
  copy: <path d="M6 6h7v7H6zM3.5 10V3H10" />,
  external: <path d="M9 3h4v4M13 3 7.5 8.5M11.5 9.5V13H3V4.5h3.5" />,
  dots: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />,
  menu: <path d="M3 4.5h10M3 8h10M3 11.5h10" />,
  'rail-left': <path d="M2.5 3.5h11v9h-11zM6.5 3.5v9" />,
  'rail-right': <path d="M2.5 3.5h11v9h-11zM9.5 3.5v9" />,
  agents: (
    <>
      <circle cx="8" cy="4" r="1.8" />
      <circle cx="3.8" cy="12" r="1.8" />
      <circle cx="12.2" cy="12" r="1.8" />
      <path d="M8 5.8v2.4M8 8.2c-2.5 0-4.2.5-4.2 2M8 8.2c2.5 0 4.2.5 4.2 2" />
    </>
  ),
  refresh: <path d="M13 5.5A5.5 5.5 0 1 0 13.5 9M13 2.5v3h-3" />,
  message: <path d="M2.5 3.5h11v8H7L4 14v-2.5H2.5z" />,
  eye: (
    <>
      <path d="M1.8 8C3.5 5 5.6 3.7 8 3.7S12.5 5 14.2 8c-1.7 3-3.8 4.3-6.2 4.3S3.5 11 1.8 8Z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  tag: <path d="M2.5 2.5h5l6 6-5 5-6-6v-5ZM5.3 5.3h.01" />,
  link: <path d="M7 5 8.5 3.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7M6.3 9.7l3.4-3.4" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9" />,
  download: <path d="M8 2.5v7.5M4.5 7 8 10.5 11.5 7M3 13h10" />,
  settings: <path d="M3 5h6M12 5h1M3 11h1M7 11h6M10.5 3.5v3M5.5 9.5v3" />,
  timeline: <path d="M2.5 4h6M5.5 8h7M4 12h4.5M2.5 2.5v11" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" />
    </>
  ),
  sprout: (
    <path d="M8 14V5M8 10.5c-3 0-4.8-1.5-4.8-4.2 3 0 4.8 1.5 4.8 4.2ZM8 8.2c2.7 0 4.5-1.3 4.5-4-2.8 0-4.5 1.4-4.5 4Z" />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof SHAPES

export function Icon({
  name,
  className = '',
  size = 16,
}: {
  name: IconName
  className?: string
  size?: number
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {SHAPES[name]}
    </svg>
  )
}
