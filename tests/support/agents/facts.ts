/** Facts that a user tells, and a question for each that uses other words, too. `{}` is the user's own value. */
const topics: readonly (readonly [fact: string, question: string, values: readonly string[]])[] = [
  ["The dog of {user} is a beagle called {}.", "What do I call my dog?", ["Rex", "Bella", "Odin", "Luna", "Pip"]],
  [
    "{user} is allergic to {}.",
    "Which food gives me an allergic reaction?",
    ["peanuts", "shrimp", "kiwi", "celery", "mustard"],
  ],
  ["{user} was born in the town {}.", "In which town was I born?", ["Lund", "Porto", "Ghent", "Turku", "Bari"]],
  [
    "{user} drives a {} and parks it on level seven.",
    "Which level do I park on, and with what car?",
    ["Volvo", "Fiat", "Skoda", "Lada", "Mini"],
  ],
  [
    "{user} drinks only {} tea.",
    "What kind of tea shall you order for me?",
    ["rooibos", "oolong", "matcha", "mint", "sencha"],
  ],
  [
    "The daughter of {user} studies {} in Delft.",
    "What is my daughter studying?",
    ["physics", "law", "music", "logic", "botany"],
  ],
  [
    "{user} has a dentist's appointment with Dr {}.",
    "Who is my dentist?",
    ["Okafor", "Lindqvist", "Marsh", "Petrov", "Yilmaz"],
  ],
  [
    "The flight of {user} to Osaka is {}.",
    "Which flight do I take to Osaka?",
    ["KL867", "JL42", "AY67", "LH740", "AF292"],
  ],
]

export const people = ["ada", "bob", "cleo", "dan", "eve"] as const

export interface Fact {
  readonly user: string
  readonly fact: string
  readonly question: string
}

/** Forty facts of five people, with their questions. */
export const facts: readonly Fact[] = topics.flatMap(([fact, question, values]) =>
  people.map((user, index) => ({
    user,
    question,
    fact: fact.replace("{user}", user).replace("{}", values[index] ?? ""),
  })),
)

const doings = [
  "walks the dog near the station",
  "ordered tea for the meeting",
  "took the car to work",
  "parks at the office",
]
const things = [
  "What a town",
  "A flight was late",
  "The dentist called",
  "Food was served",
  "The daughter of a friend came",
]
const days = ["on Monday", "on Tuesday", "in the morning", "after lunch", "last week", "with the whole team"]

/** Other notes with the same words. */
export const noiseOf = (user: string, n: number): string =>
  n % 2 === 0
    ? `${user} ${doings[n % doings.length]} ${days[n % days.length]}, note ${n}.`
    : `${things[n % things.length]} ${days[n % days.length]}, note ${n}.`
