/** Stroke paths in a 24 by 24 box. */
export const icons = {
  overview: "M3 12h4l3-8 4 16 3-8h4",
  metrics: "M4 4v16h16M8 15l4-5 3 3 4-6",
  events: "M4 6h16M4 12h16M4 18h10",
  endpoints: "M9 7V3m6 4V3M7 7h10v4a5 5 0 0 1-10 0V7Zm5 9v5",
  inbox: "M4 13 7 5h10l3 8v6H4v-6Zm0 0h5l1 3h4l1-3h5",
  outbox: "M4 14v5h16v-5M12 15V4m0 0L8 8m4-4 4 4",
  operations: "M12 3v4m0 10v4M3 12h4m10 0h4M6 6l2.5 2.5m7 7L18 18M18 6l-2.5 2.5m-7 7L6 18",
  generations: "m12 3 9 5-9 5-9-5 9-5Zm-9 9 9 5 9-5M3 16l9 5 9-5",
  workroom: "M5 4h14v16H5zM9 9h6m-6 4h6m-6 4h3",
  jobs: "M12 7v5l3 2m6-2a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  agents: "M7 9h10a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2Zm5 0V5m-2.5 8v2m5-2v2M2 13v3m20-3v3",
  plugins: "M10 4h4v4h4v4h2v4h-2v4h-6v-2a2 2 0 1 0-4 0v2H4v-6h2a2 2 0 1 0 0-4H4V8h6V4Z",
  config: "M4 5h16v14H4zM8 9l3 3-3 3m5 1h4",
  permissions: "M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5zm7 4v2",
  chat: "M4 5h16v11H9l-5 4V5Z",
  good: "m5 13 4 4L19 7",
  warn: "M12 8v5m0 3v.5M12 3 2.5 20h19L12 3Z",
  bad: "M12 7v6m0 3v.5M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  idle: "M6 12h12",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "m6 6 12 12M18 6 6 18",
} as const

export type IconName = keyof typeof icons
