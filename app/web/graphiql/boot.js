"use strict";

// One tab per question a newcomer asks first. Tabs that a visitor edits are kept by their browser.
const EXAMPLES = [
  {
    query: `# Ask a question. Press Ctrl-Enter to run.
query Recall($query: String!) {
  recall(query: $query) {
    hits {
      rank
      score
      stateFlag
      stateSummary
      artifact {
        identifier
        title
      }
      passage {
        heading
        text
      }
      explanation {
        leg
        rank
      }
    }
  }
}
`,
    variables: { query: "why do we keep a ledger" },
  },
  {
    query: `# Ask the same question as of a past date.
query RecallAsOf($query: String!, $asOf: DateTime!) {
  recall(query: $query, asOf: $asOf, preferWip: false) {
    asOf
    knownAt
    hits {
      rank
      stateFlag
      stateSummary
      artifact {
        identifier
        title
        createdAt
      }
    }
  }
}
`,
    variables: { query: "why do we keep a ledger", asOf: "2026-01-01T00:00:00Z" },
  },
  {
    query: `# Show each leg, its time, and its contribution to each hit.
query RecallExplained($query: String!) {
  recall(query: $query, first: 5) {
    legs {
      leg
      candidates
      milliseconds
      problem
    }
    hits {
      rank
      artifact {
        identifier
      }
      explanation {
        leg
        rank
        score
        contribution
      }
    }
  }
}
`,
    variables: { query: "why do we keep a ledger" },
  },
];

const tabs = EXAMPLES.map(({ query, variables }) => ({
  query,
  variables: JSON.stringify(variables, null, 2),
}));

// GraphiQL finds the tab that was left by the query and the variables it kept, and opens another when none
// fits; on a first visit it keeps the first tab's query but not its variables.
if (window.localStorage.getItem("graphiql:tabState") === null) {
  window.localStorage.setItem("graphiql:variables", tabs[0].variables);
}

const fetcher = GraphiQL.createFetcher({ url: window.location.pathname });

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher,
    defaultTabs: tabs,
    defaultQuery: EXAMPLES[0].query,
    defaultEditorToolsVisibility: "variables",
    shouldPersistHeaders: false,
  }),
);
