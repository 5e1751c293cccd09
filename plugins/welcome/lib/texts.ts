/** The bot's texts in each of its languages. `{user}` and `{guild}` stay in braces until the greeting is filled in. */
export const texts = {
  en: {
    about: "Show what the bot says when you join",
    welcome: "Welcome, {user}!",
    goodbye: "Goodbye, {user}.",
    others: "{count, plural, one {# other} other {# others}}",
    noRoles: "Welcome: {endpoint} cannot give roles.",
    noDirect: "Welcome: {endpoint} cannot send direct messages.",
    noChannel: "Welcome: no channel for greetings of {guild} at {endpoint}. Name one in places.",
    nowhere: "Say this in a channel.",
  },
  de: {
    about: "Zeigt, was der Bot sagt, wenn du dazukommst",
    welcome: "Willkommen, {user}!",
    goodbye: "Auf Wiedersehen, {user}.",
    others: "{count, plural, one {# weitere Person} other {# weitere Personen}}",
    noRoles: "Begrüßung: {endpoint} kann keine Rollen vergeben.",
    noDirect: "Begrüßung: {endpoint} kann keine Direktnachrichten senden.",
    noChannel: "Begrüßung: Für {guild} an {endpoint} fehlt der Kanal. Trage ihn in places ein.",
    nowhere: "Sag das in einem Kanal.",
  },
} as const
