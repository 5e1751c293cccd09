/** The bot's texts in each of its languages. */
export const texts = {
  en: {
    about: "Show the questions, or the answer to one",
    list: "Questions:",
    more: "… and {count, plural, one {# more question} other {# more questions}}. Write a word after {prefix}faq to find one.",
    several: "Which question do you mean?",
    none: "There are no questions yet.",
    unknown: "No question has these words. The command {prefix}faq lists all questions.",
    broken: "The file has an error, so its last good content is in use. {problem}",
  },
  de: {
    about: "Zeigt die Fragen, oder die Antwort auf eine",
    list: "Fragen:",
    more: "… und {count, plural, one {# weitere Frage} other {# weitere Fragen}}. Schreibe ein Wort hinter {prefix}faq, um eine zu finden.",
    several: "Welche Frage meinst du?",
    none: "Es gibt noch keine Fragen.",
    unknown: "Keine Frage enthält diese Wörter. Der Befehl {prefix}faq zeigt alle Fragen.",
    broken: "Die Datei hat einen Fehler, darum gilt ihr letzter guter Inhalt. {problem}",
  },
} as const
