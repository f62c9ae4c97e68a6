'use strict';
{
  const settings = JSON.parse(document.getElementById('settings').textContent);
  const words = text => text.toLowerCase().split(/\s+/).filter(Boolean);
  const say = text => { document.getElementById('said').textContent = text; };

  // Text searched for each operation: Swagger UI's own search covers tag names only.
  const textOf = (tag, entry) => {
    const operation = entry.get('operation');
    const parameters = operation.get('parameters');
    // Without the samples at its end.
    const [description] = operation.get('description').split('\n\n```\n');
    const texts = [operation.get('operationId'), operation.get('summary'), description];
    const names = parameters ? parameters.map(one => one.get('name')).toArray() : [];
    return [tag, entry.get('method'), entry.get('path'), ...texts, ...names]
      .join(' ').toLowerCase();
  };
  const opsFilter = (groups, phrase) => {
    const wanted = words(phrase);
    const fits = tag => entry => {
      const text = textOf(tag, entry);
      return wanted.every(word => text.includes(word));
    };
    return groups
      .map((group, tag) => group.update('operations', list => list.filter(fits(tag))))
      .filter(group => group.get('operations').size > 0);
  };

  const asking = token => ({
    headers: { authorization: `Bearer ${token.get('access_token')}` },
    credentials: 'omit',
  });

  // The logged-in user, named by the auth server if openid is in the scope.
  const Who = ({ React, token, logOut }) => {
    const [name, setName] = React.useState('');
    const scopes = (token.get('scope') || '').split(' ');
    React.useEffect(() => {
      setName('');
      if (!scopes.includes('openid')) return undefined;
      const gone = new AbortController();
      fetch(settings.userinfo, { ...asking(token), signal: gone.signal })
        .then(answer => answer.json())
        .then(claims => setName(claims.preferred_username || ''), () => {});
      return () => gone.abort();
    }, [token.get('access_token')]);
    const kind = scopes.find(scope => scope !== 'openid') || '';
    const h = React.createElement;
    return h('div', { className: 'logged-in' },
      h('p', { id: 'who' }, 'Logged in as ', name ? h('strong', null, name) : kind,
        name && kind ? ` (${kind})` : ''),
      h('button', { id: 'log-out', className: 'btn', type: 'button', onClick: logOut }, 'Log out'));
  };

  // Swagger UI would only forget the token and leave it and its session alive.
  let expiry;
  let farewell;
  const end = token => fetch(settings.logOut, { method: 'POST', ...asking(token) }).then(answer => {
    if (!answer.ok) throw new Error(answer.status);
    say(farewell);
  }).catch(() => {
    say('The auth server could not be reached: the token stays valid until it expires.');
  });

  // Operations that accept an idempotency key get one in advance: clicking twice executes once.
  const newKey = () => crypto.randomUUID();
  const isKey = parameter => parameter.name === 'Idempotency-Key';
  const usedFor = new Map();
  for (const operation of Object.values(settings.document.paths).flatMap(Object.values)) {
    for (const parameter of (operation.parameters || []).filter(isKey)) {
      parameter.example = newKey();
      usedFor.set(parameter.example, undefined);
    }
  }
  const parametersOf = ({ specSelectors, path, method }) =>
    specSelectors.operationWithMeta(path, method).get('parameters');
  const nameOf = file => [file.name, file.size, file.lastModified];
  const plain = (name, value) => value instanceof File ? nameOf(value) : value;
  // A generated key is for one request; a key that the user typed is left alone.
  const renewKey = props => {
    const { specActions, specSelectors, oas3Selectors, path, method } = props;
    const parameters = parametersOf(props);
    const key = parameters && parameters.find(one => isKey(one.toObject()));
    if (!key || !usedFor.has(key.get('value'))) return;
    const values = parameters.filter(one => one !== key).map(one => one.get('value'));
    const body = oas3Selectors.requestBodyValue(path, method);
    const request = JSON.stringify([path, values, body], plain);
    const before = usedFor.get(key.get('value'));
    const next = before === undefined || before === request ? key.get('value') : newKey();
    usedFor.set(next, request);
    if (next !== key.get('value')) {
      // Swagger UI identifies it by the hash of its description in the document, without its value.
      const all = specSelectors.specJsonWithResolvedSubtrees();
      const own = all.getIn(['paths', path, method, 'parameters']);
      const described = own.find(one => isKey(one.toObject()));
      specActions.changeParamByIdentity([path, method], described, next, false);
    }
  };

  const sure = document.getElementById('sure');
  for (const button of sure.querySelectorAll('button')) {
    button.addEventListener('click', () => sure.close(button.value));
  }
  const asked = ({ path, method }) => new Promise(resolve => {
    sure.querySelector('code').textContent = `${method.toUpperCase()} ${path}`;
    sure.returnValue = '';
    sure.addEventListener('close', () => resolve(sure.returnValue === 'send'), { once: true });
    sure.showModal();
  });
  const isWriting = props => {
    if (['get', 'head'].includes(props.method)) return false;
    const test = (parametersOf(props) || []).find(one => one.get('name') === 'test');
    return !test || String(test.get('value')) !== 'true';
  };

  const plugin = () => ({
    fn: { opsFilter },
    components: {
      InfoContainer: () => null,
      FilterContainer: () => null,
      // The only server is this one.
      ServersContainer: () => null,
    },
    statePlugins: {
      layout: {
        wrapActions: {
          // The sections' anchors are not Swagger UI's, which would replace them.
          parseDeepLinkHash: original => hash => hash.startsWith('#/') && original(hash),
          // Its own scrolling ends beneath the header.
          scrollToElement: () => element => element.scrollIntoView(),
        },
      },
      auth: {
        wrapActions: {
          authorizeOauth2: original => payload => {
            clearTimeout(expiry);
            farewell = 'Logged out.';
            say('');
            const seconds = Number(payload.token.expires_in);
            if (seconds) expiry = setTimeout(expire, seconds * 1000);
            return original(payload);
          },
          logout: (original, system) => names => {
            const token = system.authSelectors.authorized().getIn(['oauth2', 'token']);
            if (token && names.includes('oauth2')) {
              clearTimeout(expiry);
              end(token);
            }
            return original(names);
          },
        },
      },
    },
    wrapComponents: {
      // A link within the button that opens an operation would be a second control.
      DeepLink: (_, { React }) => ({ text }) => React.createElement('span', null, text),
      authorizeBtn: (Original, system) => props => {
        const { React, authActions, authSelectors } = system;
        const token = authSelectors.authorized().getIn(['oauth2', 'token']);
        const logOut = () => authActions.logout(['oauth2']);
        return React.createElement('div', { className: 'log-in' },
          React.createElement(Original, props),
          token && React.createElement(Who, { React, token, logOut }));
      },
      // Keyboard users: focus moves into the dialog, and back afterwards.
      authorizationPopup: (Original, { React, authActions }) => props => {
        const box = React.useRef(null);
        const before = React.useRef(document.activeElement);
        React.useEffect(() => {
          const content = box.current.querySelector('.modal-ux-content');
          content.querySelector('.checkbox input, button').focus();
          content.scrollTop = 0;
          return () => before.current.focus();
        }, []);
        const onKeyDown = event => {
          if (event.key === 'Escape') authActions.showDefinitions(false);
        };
        const dialog = { ref: box, role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Log in' };
        return React.createElement('div', { ...dialog, onKeyDown },
          React.createElement(Original, props));
      },
      // A writing operation asks for confirmation once its inputs are complete.
      execute: Original => class extends Original {
        constructor(props) {
          super(props);
          const send = this.handleValidationResultPass;
          this.handleValidationResultPass = async () => {
            if (isWriting(this.props)) {
              if (!await asked(this.props)) return;
              renewKey(this.props);
            }
            send();
          };
        }
      },
      operations: (Original, system) => props => {
        const some = system.specSelectors.taggedOperations().size > 0;
        return some ? system.React.createElement(Original, props) : null;
      },
    },
  });

  // Starts when operations are first shown: it takes longer than the rest of the page.
  let ui;
  let all;
  const begin = () => {
    if (ui) return;
    ui = SwaggerUIBundle({
      dom_id: '#ui',
      spec: settings.document,
      plugins: [plugin],
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      persistAuthorization: false,
      showCommonExtensions: true,
      syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
      oauth2RedirectUrl: window.location.origin + settings.receiver,
    });
    ui.initOAuth(settings.logIn);
    all = count();
  };

  // Swagger UI leaves controls without a name, scrollable text out of the keyboard's reach, and
  // gaps between the levels of headings.
  const names = { BUTTON: 'Copy', SELECT: 'Media type', TEXTAREA: 'Request body' };
  const missingName = control => {
    const parameter = control.closest('[data-param-name]');
    if (parameter) return parameter.dataset.paramName;
    return control.matches('.close-modal') ? 'Close' : names[control.tagName];
  };
  const complete = () => {
    for (const control of document.querySelectorAll('#ui :is(button, select, textarea)')) {
      const isText = control.tagName === 'BUTTON' && control.textContent.trim();
      if (!isText && !control.labels.length && !control.title) control.ariaLabel ??= missingName(control);
    }
    for (const heading of document.querySelectorAll('#ui :is(.dialog-ux, .models) :is(h4, h6)')) {
      heading.ariaLevel = heading.tagName === 'H4' ? 3 : 4;
    }
    for (const text of document.querySelectorAll('#ui pre')) {
      const scrolls =
        text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight;
      if (scrolls) text.tabIndex = 0;
    }
  };
  new MutationObserver(complete)
    .observe(document.getElementById('ui'), { childList: true, subtree: true });

  const expire = () => {
    farewell = 'The token has expired. Log in again.';
    ui.authActions.logout(['oauth2']);
  };

  const count = () => ui.specSelectors.taggedOperations()
    .reduce((sum, group) => sum + group.get('operations').size, 0);
  // The action for this would also change the URL.
  const open = tag => {
    const thing = ['operations-tag', tag];
    if (ui.layoutSelectors.isShown(thing, true)) return;
    ui.getStore().dispatch({ type: 'layout_show', payload: { thing, shown: true } });
  };
  const searchOperations = phrase => {
    begin();
    ui.layoutActions.updateFilter(phrase);
    if (!words(phrase).length) return '';
    for (const tag of ui.specSelectors.taggedOperations().keys()) open(tag);
    const found = count();
    return found ? `${found} of ${all} operations` : `No operation matches “${phrase.trim()}”.`;
  };

  const rows = [...document.querySelectorAll('.problems tbody tr')];
  const searchProblems = phrase => {
    const wanted = words(phrase);
    const shown = rows.filter(row => {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every(word => text.includes(word));
      return !row.hidden;
    });
    if (!wanted.length) return '';
    return shown.length
      ? `${shown.length} of ${rows.length} problems` : `No problem matches “${phrase.trim()}”.`;
  };

  const searches = { 'search-operations': searchOperations, 'search-problems': searchProblems };
  for (const [id, search] of Object.entries(searches)) {
    const input = document.getElementById(id);
    const look = () => {
      document.getElementById(`${id}-found`).textContent = search(input.value);
    };
    input.addEventListener('input', look);
    input.parentElement.hidden = false;
  }

  // Marks the current section. A link to a row that a search has hidden shows it again.
  const arrive = () => {
    // Swagger UI follows links to operations only when it starts.
    const atOperation = location.hash.startsWith('#/');
    document.documentElement.classList.toggle('at-operation', atOperation);
    if (atOperation || location.hash === '#operations') begin();
    if (atOperation) ui.layoutActions.parseDeepLinkHash(location.hash);
    const target = document.querySelector(':target');
    if (target && target.hidden) {
      document.getElementById('search-problems').value = '';
      document.getElementById('search-problems-found').textContent = searchProblems('');
      target.scrollIntoView();
    }
    const section = target && target.closest('main > section');
    const shown = section ? `#${section.id}` : atOperation ? '#operations' : '#start';
    for (const link of document.querySelectorAll('nav a')) {
      const here = link.hash === shown;
      if (here) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      if (here) link.parentElement.scrollLeft = link.offsetLeft - link.offsetWidth;
    }
  };
  window.addEventListener('hashchange', arrive);
  window.addEventListener('load', arrive);
}
