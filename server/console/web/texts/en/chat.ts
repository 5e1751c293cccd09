export const chat = {
  title: "Talk to the bot",
  missing: "This project has no sandbox. Add sandbox: {} under plugins in svc.config.yml, then reload.",
  empty: "No messages in this run yet. Messages on this page stay inside the Host.",
  say: "Say something to the bot",
  send: "Send",
  from: {bot: "Bot", user: "You"},
  failed: "Handlers failed:",
  refused: "The Host rejected this message:",
  fate: "What happened",
  commands: "Commands of the bot",
  take: (name: string) => `/${name}: insert into the message`,
} as const
