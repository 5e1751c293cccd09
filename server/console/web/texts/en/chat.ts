export const chat = {
  title: "Talk to the bot",
  missing: "This project has no sandbox: add sandbox: {} under plugins in svc.config.yml, and reload.",
  empty: "Nothing was said yet in this run. What is said here stays inside the Host.",
  say: "Say something to the bot",
  send: "Send",
  from: {bot: "Bot", user: "You"},
  failed: "The bot failed at it:",
  refused: "The Host did not take it:",
  fate: "What became of it",
  commands: "Commands that it knows",
  take: (name: string) => `/${name}: put it into the message`,
} as const
