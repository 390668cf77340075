// The rules for words: each with a sentence that it finds and one that it lets pass, which a test checks.

/** A space in `pattern` stands for any white space. */
const rule = (name, write, pattern, finds, passes) => ({
  name,
  write,
  pattern: new RegExp(
    pattern.source
      .replaceAll(' *', String.raw`\s*`)
      .replaceAll(/ \??/g, (space) => (space === ' ?' ? '\\s*' : '\\s+')),
    `${pattern.flags}g`,
  ),
  finds,
  passes,
})

const CHANNELS =
  'https?|graphql|rest|mcp|typescript|sql|tools?|tool calls?|(?:signed )?webhooks|opentelemetry|websockets?|stdio|curl|streamable http|server-sent events|json-rpc|(?:the )?(?:board )?api|api v2|the (?:http|rest|graphql|mcp)\\b|the (?:realtime )?channel|the command line'
const DONE_BY = 'returned|required|defined|described|accepted|rejected|used|shared|offered|given'
const REQUESTS =
  'requests?|calls?|claims?|quer(?:y|ies)|writes?|reads?|gets?|posts?|messages?|attempts?|statements?|connections?|upgrades?|deliver(?:y|ies)|polls?'
const PROGRAMS =
  'servers?|models?|receivers?|endpoints?|databases?|storages?|apis?|handlers?|routes?|hosts?|process(?:es)?|client|provider|primary|standby|XX+|tool|board'
const ENDING =
  'process(?:es)?|keys?|sessions?|connections?|leases?|programs?|commands?|tokens?|sockets?|subscriptions?|streams?|servers?|transactions?|requests?|invitations?|links?'
const TIMES = 'second|minute|hour|day|week|month|year'
const RATED =
  'tasks|requests|events|claims|calls|bytes|messages|deliveries|writes|times|dollars|objects|statements|it|them|one'
/** After a rate, as opposed to after an object ("calls a second function"). */
const RATE_ENDS = '(?= *(?:[,.;:)|]|$)| (?:and|or|for|in|to|from|on|at|with|when|while|is|are|of)\\b)'
const THINGS = 'line|row|task|process|core|connection|page|account|agent'
const BRITISH =
  'colours?|coloured|behaviours?|favours?|honours?|neighbours?|licences?|centres?|fulfils?|enrols?|judgements?|defences?|offences?|grey|whilst|amongst|towards|afterwards|learnt|spelt|artefacts?|catalogues?|programmes|analys(?:e|ed|es|ing)(?<!analyses)|modell(?:ed|ing)|labell(?:ed|ing)|travell(?:ed|ing)|signall(?:ed|ing)|ageing|sceptical|per cent|cancelling'
const BRITISH_ISE =
  '(?:normal|optim|serial|recogn|author|organ|synchron|initial|minim|maxim|summar|custom|categor|util|prior|standard|general|special|final|local|token|parameter|random|central|emphas|harmon|sanit|modern|formal|memor|visual|penal|stabil)is(?:e|es|ed|ing|ation|er|ers)'

export const words = [
  rule(
    'by for a channel',
    'over HTTP, through MCP, with the client, in GraphQL; replace X with Y',
    new RegExp(
      `(?<!\\b(?:${DONE_BY}) )\\bby (?:${CHANNELS})\\b(?! (?:server|module|client|itself|key|user|request|of))|\\breplac(?:e|es|ing) [^.;:,]{1,60} by (?:the|a|an|its|your|one)\\b`,
      'i',
    ),
    'You add tasks by HTTP.',
    'You add tasks over HTTP, and the error is returned by the API.',
  ),
  rule(
    'work with an object',
    'work on, run, pick up',
    /\b(?:works|worked|working) (?:(?:the|a|an|its|their|these|those|each|every|any|another|one) (?!way\b|day\b|time\b|same\b|by one)|it\b|them\b|tasks?\b|boards?\b)|(?<!\b(?:the|of|their|its|more|much|other|all|any|same|less|little|some|which|at|own|for|new|real) )\bwork (?:(?:the|a|its|their|these|those|this|each|every|any|another|one) (?:\w+ )?(?:tasks?|boards?|agents?)\b|it\b|them\b|tasks?\b|boards?\b|one\b(?! by))/i,
    'An agent works the task.',
    'An agent works on the task. The work a person does is not counted.',
  ),
  rule(
    'answer for response',
    'response, result; or respond, return',
    new RegExp(
      [
        `\\banswers? (?:of|to) (?:the|a|an|this|that|each|every|any|such a)? ?(?:${PROGRAMS}|${REQUESTS}|XX+)\\b`,
        `\\banswers? (?:with )?(?:\\d{3}\\b|XX+|null\\b|an error|html|json)`,
        `\\b(?:is|are|was|were|be|been|gets?) (?:not |only |never )?answered\\b(?! (?:by|in) (?:a person|people))`,
        `\\banswer(?:s|ed|ing)? (?:the|a|an|every|each|this|any|all|no|such|its|these|their|other)? ?(?:${REQUESTS})\\b`,
        `\\b(?:${PROGRAMS})(?: (?:that|which|does not|did not|cannot|can|no longer|never|may|might|has to|also))* answer(?:s|ed|ing)?\\b`,
        `\\b(?:http|server|lost|whole|last|first|long|short|late|large|empty|own|complete|successful|429|404|every|each|such|model|error|full|cached|stored|partial|one) answers?\\b(?! (?:to|of) (?:a|the) question)`,
        `\\b(?:lose|loses|body|status|headers?|size|bytes|length|rest|part|end) (?:of )?(?:the|an|its|each|that) answers?\\b`,
        `\\banswers? (?:is|was|were|are|got|gets) (?:lost|sent|cached|written|received|too|longer|larger|shorter|empty|complete)\\b`,
        `\\banswered (?:at|with|as|only|so|\\d)`,
        `\\b(?:does|do|did|which|that|can) (?:not )?answer (?:lists|searches|pages|in time|within|for)`,
        `\\b(?:no|an|same|whose|each|values of|fields of|bodies and|body and|body, ?|any) answers?\\b (?:arriv|contain|repeat|in time|after the same|is empty|says)`,
        `\\b(?:bodies|body|values|fields) (?:and|of) (?:its |the )?answers?\\b`,
        `\\banswers? (?:is|was) (?:cut|filtered)`,
        `\\bdo(?:es)? not answer\\b(?! (?:the|its|a|their) question)`,
        `\\banswering (?:server|process|model|side|XX+)`,
      ].join('|'),
      'i',
    ),
    'The answer of the server has a header.',
    'The answer to a question arrives in the context, and a person answers.',
  ),
  rule(
    'that of, those of',
    'repeat the noun, or use a possessive',
    /\b(?:that|those) of\b/i,
    'The address is that of the server.',
    'The address is the server address.',
  ),
  rule(
    'chain of "of"',
    'a compound noun, a possessive or a verb',
    /\bof (?:(?!of\b)[\w'-]+ ){1,3}of (?:(?!of\b)[\w'-]+ ){1,3}of\b/i,
    'The rows of the tables of the parts of a task are deleted.',
    'The rows of the tables are deleted, of which some are large.',
  ),
  rule(
    'clause with "what" as a noun',
    'name the thing',
    /(?<=^ *["'`(*]*|[.!?:;] ["'(*]*)(?:What|Who|Whoever|Whatever)\b(?=[^?]*$)|\b(?:of|than|but|beside|besides|except|and|or|from|nor|has|with|to|in|for|like|only) what (?:is|was|it|they|he|the|a|an|one|has|have|can|you|nobody|comes|belongs|follows)\b/,
    'What nobody reports is not limited.',
    'Unreported usage is not limited. What is a lease? See what the agent does.',
  ),
  rule(
    'whoever, whichever',
    'anyone who, the caller',
    /\b(?:whoever|whosever|whomever)\b/i,
    'The next call returns it to whoever claims it.',
    'The next caller that claims it receives it.',
  ),
  rule(
    'also and too, misplaced',
    'including, even, as well',
    /, (?:also|too)\b|\balso (?:when|while|if|after|before|where|without|those|of|with|in|on|by|as|from|during|at|for|to|across|until)\b(?! (?:be|have)\b)/i,
    'Every user may be deleted, also the last one.',
    'You can also delete the last user.',
  ),
  rule(
    'nobody, somebody',
    'the board, no one who; or turn the sentence',
    /\b(?:nobody|somebody|everybody|anybody)\b/i,
    'Nobody is reminded.',
    'The board sends no reminders.',
  ),
  rule(
    'nothing as a subject or object',
    'no X, not anything',
    /(?<=^\s*|[.!?:;] )Nothing\b(?!\.?$)|\b(?:takes?|has|have|knows?|needs?|sends?|costs?|gives?|gets?|reads?|leaves?|makes?|shows?|creates?|starts?|calls?|stores?|emits?) (?:nothing|none of)\b/i,
    'Nothing may read the body before.',
    'Do not read the body first.',
  ),
  rule(
    'is no, are no',
    'is not a, does not',
    /(?<!\b(?:there|here) )\b(?:is|are|was|were|be) no (?!longer\b|more\b|one\b|different|better|other way)[a-z]+/i,
    'It is no action.',
    'It is not an action. There is no action. It is no longer an action.',
  ),
  rule(
    'a for per',
    'per',
    new RegExp(
      `(?:\\b\\d[\\d,.]*(?: [a-z]+)?|\\b(?:${RATED})) an? (?:${TIMES})\\b${RATE_ENDS}|(?:\\b\\d[\\d,.]*(?: [a-z]+)?|\\bone) an? (?:${THINGS})\\b${RATE_ENDS}|\\ban? (?:line|row|byte|task) each\\b`,
      'i',
    ),
    'It claims 4,000 tasks a second.',
    'It claims 4,000 tasks per second, and waits for a second.',
  ),
  rule(
    'end for stop, exit, close, expire',
    'exit, close, stop, expire, time out, be revoked',
    new RegExp(
      `\\b(?:end|ends|ended|ending) (?:(?:the|its|a|an|that|this|your|all|every|each|their|other|open|own) )+(?:${ENDING})\\b|\\b(?:has|have|had) (?:\\w+ )?ended\\b|\\b(?:${ENDING})(?: (?:that|which|has|have|can|does not|never|then|also))* (?:ends|ended)\\b|\\bends (?:it|them|itself)\\b`,
      'i',
    ),
    'Ctrl-C ends the process.',
    'The process exits, and the day ends at midnight.',
  ),
  rule(
    'has for describes, contains',
    'describes, contains, lists, shows',
    new RegExp(
      `(?<!XX)\\] has (?!been|to\\b|not\\b)|\\b(?:guide|glossary|readme|documentation|(?:this|the) (?:page|section)) (?:also )?has (?!been|to\\b|not\\b)|\\bhas (?:all of it|the details|the list|the rest|the whole|the reasons?|the words|the figures|the rules|more about)\\b`,
      'i',
    ),
    'The guide has all of it.',
    'The guide describes it. The agent has a task.',
  ),
  rule(
    'repeat for retry, replay',
    'retry (a call), replay (events)',
    /\b(?:repeat(?:s|ed|ing)? (?:the|a|an|that|this|each|every|any|its|it|such|their|your|calls?|requests?|events?|writes?|claims?)\b|a repeated \w+|repeated (?:calls?|requests?|events?|writes?|claims?|creates?)|(?:is|are|was|been|gets?|(?<!\b(?:can|may) )be) repeated|(?:a|each|every|the|of|by|on|on a) repeats?\b)/i,
    'A caller repeats the request.',
    'A caller retries the request.',
  ),
  rule(
    'refuse for reject',
    'reject, deny',
    /(?<!\bconnections? )(?<!\bconnection is )\brefus(?:e|es|ed|ing|als?)\b(?! to\b)/i,
    'The request is refused.',
    'The request is rejected.',
  ),
  rule(
    'at once',
    'immediately; at the same time',
    /\bat once\b/i,
    'The agent starts at once.',
    'The agent starts immediately. It happens once.',
  ),
  rule(
    'beside',
    'next to, alongside, besides, along with',
    /\bbeside\b/i,
    'It runs beside the server.',
    'It runs alongside the server. Besides, it is small.',
  ),
  rule(
    'goes on',
    'continues',
    /\b(?:go|goes|going|went|gone) on\b(?! (?:hold|to\b|the|a\b|vacation))/i,
    'The task goes on.',
    'The task continues. It goes on hold.',
  ),
  rule(
    'meanwhile, in the meantime',
    'by then, during this time, since',
    /\b(?:meanwhile|in the meantime)\b/i,
    'The task changed meanwhile.',
    'The task has changed since.',
  ),
  rule('for good', 'permanently', /\bfor good\b(?! reasons?)/i, 'It is gone for good.', 'It is good.'),
  rule(
    'under way',
    'in progress, running',
    /\bunder ?way\b/i,
    'A run is under way.',
    'A run is in progress.',
  ),
  rule('at hand', 'available', /\bat hand\b/i, 'The value is at hand.', 'The value is available.'),
  rule(
    'some before a number',
    'about',
    /\bsome (?:\d|ten\b|twenty\b|thirty\b|forty\b|fifty\b|sixty\b|hundred\b)/i,
    'It takes some 60 ms.',
    'It takes about 60 ms.',
  ),
  rule('in vain', 'without success', /\bin vain\b/i, 'It waits in vain.', 'It waits without success.'),
  rule('anew', 'again', /\banew\b/i, 'It starts anew.', 'It starts again.'),
  rule(
    'but for',
    'except',
    /\bbut for\b(?! (?:an?|each|every|all|this|that|\w+s)\b)|(?<=[a-z]), but for\b/i,
    'All of them, but for the first.',
    'All of them, except the first.',
  ),
  rule(
    'of its own',
    'its own',
    /\bof (?:its|their|your|his|our) own\b/i,
    'Each has a folder of its own.',
    'Each has its own folder.',
  ),
  rule(
    'told, tells',
    'report, notify, return, say',
    /\b(?:(?:is|are|was|were|be|been|gets?) told|tells? (?:of|it|them|which|whether|the|a|an|each|every)|told (?:of|which|whether|to))\b/i,
    'The agent is told which task it has.',
    'The call returns the task. Tell us.',
  ),
  rule(
    'comes to',
    'is, can be at most',
    /\b(?:come|comes|came) to (?!an end|the same|be\b)(?:some |about |at most |\d|what|nothing)/i,
    'It comes to 5 ms.',
    'It is 5 ms.',
  ),
  rule(
    'not to be had',
    'not available',
    /\bto be had\b/i,
    'They are not to be had.',
    'They are not available.',
  ),
  rule(
    'the contract',
    'the API, the documentation; or say the rule',
    /\b(?:the|our|this|wire|its) contract(?:'s)?\b(?! tests?)/i,
    'It follows the contract.',
    'It follows the documentation.',
  ),
  rule('space before %', '65%', /\d %/, 'It is 65 % faster.', 'It is 65% faster.'),
  rule('us for microseconds', 'µs', /\d us\b/, 'It takes 40 us.', 'It takes 40 µs. It helps us.'),
  rule(
    'British spelling',
    'American spelling',
    new RegExp(`\\b(?:${BRITISH}|${BRITISH_ISE})\\b`, 'i'),
    'The behaviour is normalised.',
    'The behavior is normalized.',
  ),
  rule(
    'spelling of a compound',
    'email, timeout (noun), time out (verb), halfway, setup (noun), online',
    /\b(?:e-mails?|time-outs?|half-way|half way|set-ups?|on-line|off-line|work-flow|web-hooks?|life-time|time-stamps?|back-off|re-tr(?:y|ies))\b/i,
    'It sends an e-mail after a time-out.',
    'It sends an email after a timeout.',
  ),
  rule(
    'Postgres for PostgreSQL',
    'PostgreSQL',
    /(?<![@/.\w-])Postgres\b(?!QL|[\w.-]*\/)/,
    'It needs Postgres.',
    'It needs PostgreSQL.',
  ),
  rule(
    'two words for one thing',
    'Board API (v1), API v2, comments, analytics, due date',
    /\b(?:board endpoint|script endpoint|script api|enterprise api|(?:the|a|its) conversations? (?:of|on) (?:the|a|its|each) tasks?|due-date)\b/i,
    'The script endpoint creates tasks.',
    'The Board API creates tasks.',
  ),
]

/** Only counted: how many of each there are side by side shows whether the texts contract. */
export const counted = [
  rule(
    'without a contraction',
    "don't, isn't, can't",
    /\b(?:(?:do|does|did|is|are|was|were|has|have|had|would|could|should) not|cannot)\b/i,
    'It does not start.',
    "It doesn't start.",
  ),
  rule(
    'with a contraction',
    '',
    /\b(?:do|does|did|is|are|was|were|has|have|had|would|could|should|ca|wo)n['’]t\b/i,
    "It doesn't start.",
    'It does not start.',
  ),
]
