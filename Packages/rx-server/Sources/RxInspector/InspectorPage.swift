/// Shows the JSON of an `InspectorSnapshot`, and loads nothing from other servers.
enum InspectorPage {
    static let bytes = Array(html.utf8)

    private static let html = #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Inspector</title>
        <style>
        :root {
          color-scheme: light dark;
          --ground: #f6f6f3; --sheet: #ffffff; --ink: #1c1f23; --dim: #62686f; --line: #d9dad5; --box: #eef0ec;
          --edge: #8a9098; --go: #0b7a5c; --pause: #9a4d00; --pause-fill: #ffe3bf; --bad: #b3261e; --bad-fill: #fde4e1;
          --warn: #7a5600; --warn-fill: #fff3d1; --cause: #5b4bb3; --mark: #d5ece4;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #14171a; --sheet: #1c2024; --ink: #e7e9ea; --dim: #9aa2aa; --line: #33393f; --box: #262c31;
            --edge: #6f7880; --go: #5fd0ac; --pause: #ffb45c; --pause-fill: #4a3213; --bad: #ff8a80; --bad-fill: #46201d;
            --warn: #f0c75e; --warn-fill: #3a3014; --cause: #a99cf5; --mark: #1e4438;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif; }
        header, main { max-width: 1280px; margin: 0 auto; padding: 0 16px; }
        header { padding-top: 14px; }
        h1 { font-size: 18px; margin: 0; }
        h2 { font-size: 15px; margin: 0; }
        .top, .head { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 14px; }
        .grow { flex: 1 1 auto; }
        .state { font-size: 13px; color: var(--dim); }
        .state::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 50%;
          background: var(--dim); margin-right: 6px; }
        .state.live::before { background: var(--go); }
        .state.lost::before { background: var(--bad); }
        .state.old::before { background: var(--pause); }
        dl.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 1px; margin: 14px 0;
          background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
        dl.totals div { background: var(--sheet); padding: 8px 12px; }
        dt { font-size: 12px; color: var(--dim); }
        dd { margin: 0; font-size: 18px; font-variant-numeric: tabular-nums; }
        section { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 14px; }
        .head { padding: 10px 12px; border-bottom: 1px solid var(--line); }
        button, select, input[type=search], label.file { font: inherit; font-size: 13px; color: inherit; background: var(--box);
          border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; min-height: 32px; }
        button, label.file { cursor: pointer; }
        label.file { display: inline-flex; align-items: center; }
        label.file input { position: absolute; opacity: 0; width: 1px; height: 1px; }
        button:hover, label.file:hover { border-color: var(--edge); }
        button:disabled { opacity: .5; cursor: default; }
        :focus-visible, label.file:focus-within { outline: 2px solid var(--go); outline-offset: 1px; }
        input[type=search] { width: 250px; max-width: 100%; }
        input[type=range] { flex: 1 1 160px; min-width: 120px; accent-color: var(--go); }
        .time { font-variant-numeric: tabular-nums; font-size: 13px; color: var(--dim); }
        .recorder { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin: 12px 0 0; }
        ul.warnings { list-style: none; margin: 0 0 14px; padding: 0; display: grid; gap: 8px; }
        ul.warnings li { background: var(--warn-fill); border: 1px solid var(--line); border-left: 4px solid var(--warn);
          border-radius: 6px; padding: 8px 12px; overflow-wrap: anywhere; }
        ul.warnings li.blockedScheduler, ul.warnings li.loop, ul.warnings li.retryStorm { background: var(--bad-fill);
          border-left-color: var(--bad); }
        ul.warnings b { margin-right: 6px; }
        ul.warnings .advice { color: var(--dim); }
        ul.warnings button { min-height: 26px; padding: 1px 8px; margin-left: 4px; }
        a { color: var(--go); }
        code, td.name, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12px; }
        .graph { overflow: auto; max-height: 64vh; padding: 6px 0; }
        .graph svg { display: block; }
        .graph text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: var(--ink); }
        .graph text.small { font-size: 11px; fill: var(--dim); }
        .graph text.rate { fill: var(--go); }
        .graph text.pausing { fill: var(--pause); }
        .graph tspan.errors { fill: var(--bad); }
        .graph rect.box { fill: var(--box); stroke: var(--line); }
        .graph .node { cursor: pointer; }
        .graph .node:hover rect.box, .graph .node:focus rect.box { stroke: var(--go); }
        .graph .node:focus { outline: none; }
        .graph .node.warned rect.box { stroke: var(--bad); stroke-width: 2; }
        .graph .node.chosen rect.box { fill: var(--mark); stroke: var(--go); stroke-width: 2; }
        .graph path { fill: none; stroke: var(--edge); stroke-width: 1.4; }
        .graph path.flows { stroke: var(--go); }
        .graph path.failing { stroke: var(--bad); }
        .graph path.pausing { stroke: var(--pause); stroke-width: 3; }
        .graph path.made { stroke-dasharray: 2 3; }
        .graph path.cause { stroke: var(--cause); stroke-dasharray: 6 4; }
        .graph circle { fill: var(--edge); }
        .graph circle.flows { fill: var(--go); }
        .graph rect.queue { fill: var(--line); }
        .graph rect.fill { fill: var(--go); }
        .graph rect.fill.pausing { fill: var(--pause); }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 8px 12px; font-size: 12px; color: var(--dim);
          border-top: 1px solid var(--line); }
        .legend i { display: inline-block; width: 22px; border-top: 2px solid var(--edge); vertical-align: middle;
          margin-right: 6px; }
        .legend i.flows { border-color: var(--go); }
        .legend i.failing { border-color: var(--bad); }
        .legend i.pausing { border-color: var(--pause); border-width: 3px; }
        .legend i.cause { border-color: var(--cause); border-top-style: dashed; }
        .legend i.made { border-top-style: dotted; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: 13px; }
        th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
        tbody tr:last-child td { border-bottom: 0; }
        th { font-weight: 600; color: var(--dim); font-size: 12px; white-space: nowrap; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        td.name { overflow-wrap: anywhere; min-width: 150px; }
        tr.choice { cursor: pointer; }
        tr.choice:hover td { background: var(--box); }
        tr.chosen td { background: var(--mark); }
        td.pausing, td.warned { color: var(--pause); font-weight: 600; }
        td.bad { color: var(--bad); font-weight: 600; }
        meter { width: 90px; height: 12px; vertical-align: middle; }
        p.none { margin: 0; padding: 12px; color: var(--dim); }
        .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 0 14px;
          align-items: start; }
        details { border-bottom: 1px solid var(--line); padding: 6px 12px; }
        details:last-child { border-bottom: 0; }
        summary { cursor: pointer; overflow-wrap: anywhere; }
        pre { margin: 6px 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; }
        #detail { padding: 10px 12px; border-top: 1px solid var(--line); }
        #detail dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 8px 0; }
        #detail dd { font-size: 13px; overflow-wrap: anywhere; }
        [hidden] { display: none !important; }
        @media (max-width: 640px) {
          header, main { padding-left: 10px; padding-right: 10px; }
          dd { font-size: 16px; }
          dl.totals { grid-template-columns: repeat(2, 1fr); }
          .wide { display: none; }
          .top .grow { flex-basis: 100%; }
          th, td { padding: 6px 8px; }
          input[type=search] { width: 100%; }
          .graph { max-height: 58vh; }
        }
        </style>
        </head>
        <body>
        <header>
          <div class="top">
            <h1 id="title">Inspector</h1>
            <span class="state" id="state" role="status">connecting</span>
            <span class="grow"></span>
            <button id="save" disabled>Save recording</button>
            <label class="file">Open recording<input type="file" id="open" accept=".json,application/json"></label>
          </div>
          <div class="recorder">
            <button id="hold">Pause</button>
            <input type="range" id="slider" min="0" max="0" value="0" aria-label="Moment of the recording">
            <span class="time" id="time"></span>
          </div>
          <dl class="totals" id="totals"></dl>
        </header>
        <main>
          <ul class="warnings" id="warnings" aria-label="Warnings" hidden></ul>
          <section>
            <div class="head">
              <h2>Graph</h2><span class="state-text time" id="shown"></span><span class="grow"></span>
              <input type="search" id="search" placeholder="Operator, place or scheduler" aria-label="Filter the graph">
            </div>
            <div class="graph" id="graph"></div>
            <div class="legend">
              <span><i></i>feeds</span><span><i class="flows"></i>elements pass</span>
              <span><i class="failing"></i>errors pass</span>
              <span><i class="pausing"></i>paused</span><span><i class="cause"></i>causes elements</span>
              <span><i class="made"></i>made inside</span>
            </div>
            <div id="detail" hidden></div>
          </section>
          <section>
            <div class="head"><h2>Subscriptions</h2><span class="grow"></span>
              <label>first <select id="order">
                <option value="oldest">longest-lived</option><option value="growth">growing</option>
                <option value="rate">busiest</option><option value="waiting">most waiting</option>
                <option value="count">most numerous</option>
              </select></label>
            </div>
            <div class="scroll" id="list"></div>
          </section>
          <div class="pair">
            <section><div class="head"><h2>Schedulers</h2></div><div class="scroll" id="schedulers"></div></section>
            <section><div class="head"><h2>Bounded queues</h2></div><div class="scroll" id="boundaries"></div></section>
          </div>
          <section><div class="head"><h2>Limits</h2></div><div class="scroll" id="limits"></div></section>
          <div class="pair">
            <section><div class="head"><h2>Last errors</h2></div><div id="errors"></div></section>
            <section><div class="head"><h2>Stalls</h2></div><div id="stalls"></div></section>
          </div>
        </main>
        <script>
        'use strict';
        const $ = id => document.getElementById(id);
        // Escapes text for HTML. `short` and `span` return text without HTML for any value. All other fields of a
        // snapshot are escaped, numbers too, because a recording may come from another person.
        const escaped = text => String(text).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
        const coded = text => escaped(text).replace(/`([^`]*)`/g, '<code>$1</code>');
        const version = 1, longest = 600000, mostBytes = 256 << 20;

        // The recording: the texts of snapshots of the last ten minutes, the oldest first.
        let frames = [], bytes = 0, mode = 'live', at = -1, chosen = null, shown = null, source = null, isLost = false;

        function add(text) {
          const time = JSON.parse(text).time;
          frames.push({ time, text });
          bytes += text.length;
          while (frames.length > 1 && (time - frames[0].time > longest || bytes > mostBytes)) {
            bytes -= frames.shift().text.length;
            if (mode === 'back') at = Math.max(0, at - 1);
          }
          if (mode === 'live') at = frames.length - 1;
          isLost = false;
          draw(mode === 'live');
        }

        function connect() {
          if (!location.protocol.startsWith('http')) { $('state').textContent = 'no program: open a recording'; return; }
          const path = location.pathname.replace(/index\.html$/, '').replace(/\/?$/, '/');
          source = new EventSource(path + 'events');
          source.onmessage = event => { if (mode !== 'file') add(event.data); };
          source.onerror = () => { isLost = true; drawState(); };
        }

        // Numbers

        function short(value) {
          if (value >= 1e6) return (value / 1e6).toFixed(value >= 1e7 ? 0 : 1) + ' M';
          if (value >= 1e4) return (value / 1e3).toFixed(0) + ' k';
          if (value >= 1e3) return (value / 1e3).toFixed(1) + ' k';
          return value === 0 ? '0' : value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
        }
        function span(milliseconds) {
          const seconds = milliseconds / 1000;
          if (seconds < 1) return Math.round(milliseconds) + ' ms';
          if (seconds < 120) return Math.round(seconds) + ' s';
          if (seconds < 7200) return Math.round(seconds / 60) + ' min';
          if (seconds < 172800) return Math.round(seconds / 3600) + ' h';
          return Math.round(seconds / 86400) + ' d';
        }
        // Removes the queues of the operator `name` from `queues`, and returns the one to show. For `observe(on:)`,
        // that is the next queue. Another operator may have a queue for each source; of these, the fullest is shown. A
        // source also shows the queues of operators that have no node.
        const takeQueue = (queues, name, isSource) => {
          const isScheduled = name.startsWith('observe(on');
          const own = queues.filter(queue => isScheduled ? !queue.boundary : queue.boundary &&
            (queue.boundary === name || isSource)).slice(0, isScheduled ? 1 : undefined);
          for (const queue of own) queues.splice(queues.indexOf(queue), 1);
          return own.sort((a, b) => b.pausing - a.pausing || b.deepest - a.deepest)[0];
        };
        const waiting = group => (group.queues || []).reduce((sum, queue) => sum + queue.depth, 0);
        // The number of errors of a group's inner sequences, and their rate, as text.
        const errors = group => !group.failed ? '' : short(group.failed) + (group.failed === 1 ? ' error' : ' errors') +
          (group.failureRate > 0 ? ', ' + short(group.failureRate) + '/s' : '');
        const chain = group => group.operators.join(' › ') || 'a subscription';
        const clock = time => new Date(time).toTimeString().slice(0, 8);

        // Drawing

        function draw(isNew) {
          drawState();
          if (at < 0 || !frames[at]) return;
          const data = JSON.parse(frames[at].text);
          shown = data;
          document.title = data.title + ' · inspector';
          $('title').textContent = data.title;
          countFrames(data);
          drawTotals(data);
          drawWarnings(data);
          drawGraph(data);
          drawDetail(data);
          drawList(data);
          drawTables(data);
          document.documentElement.dataset.frames = frames.length;
        }

        function drawState() {
          const state = $('state');
          const words = mode === 'file' ? 'recording' : isLost ? 'connection lost' : mode === 'back' ? 'paused' : 'live';
          if (source || mode === 'file') {
            state.textContent = frames.length || isLost ? words : 'connecting';
            state.className = 'state ' + (mode !== 'live' ? 'old' : isLost ? 'lost' : frames.length ? 'live' : '');
          }
          $('hold').textContent = mode === 'live' ? 'Pause' : 'Live';
          $('hold').disabled = mode === 'file' && !source;
          $('save').disabled = !frames.length;
          const slider = $('slider');
          slider.max = Math.max(0, frames.length - 1);
          slider.value = Math.max(0, at);
          const last = frames[frames.length - 1];
          $('time').textContent = !last ? '' : mode === 'live'
            ? clock(last.time) + ', ' + span(last.time - frames[0].time) + ' recorded'
            : clock(frames[at].time) + (at < frames.length - 1 ? ', ' + span(last.time - frames[at].time) + ' before the end' : '');
        }

        function drawTotals(data) {
          const totals = data.totals;
          const rows = [
            ['subscriptions', short(totals.live)], ['groups', short(totals.groups)],
            ['elements/s', short(totals.counting ? totals.rate : data.groups.reduce((sum, group) => sum + (group.rate || 0), 0))],
            ['errors/s', totals.counting ? short(totals.errorRate) : '–'],
            ['errors', totals.counting ? short(totals.errors) : '–'], ['timers', short(totals.timers)],
          ];
          $('totals').innerHTML = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('');
        }

        const titles = {
          blockedScheduler: 'Blocked scheduler', queueAtBound: 'Queue at its bound', growing: 'Only grows', loop: 'Hot loop',
          retryStorm: 'Retry storm', flappingBreaker: 'Flapping breaker',
        };
        // Whether a link opens a page. In a recording it could be the address of a script.
        const isPage = link => link &&
          /^(https?|file):$/.test(Object.assign(document.createElement('a'), { href: link }).protocol);
        function drawWarnings(data) {
          const list = $('warnings');
          list.hidden = !data.warnings.length;
          const html = data.warnings.slice(0, 20).map(warning => {
            const page = isPage(warning.link)
              ? `<a href="${escaped(warning.link)}" target="_blank" rel="noreferrer">${escaped(warning.page)}</a>`
              : 'See the page ' + escaped(warning.page) + '.';
            const show = warning.group === undefined ? '' : ` <button data-group="${escaped(warning.group)}">Show</button>`;
            return `<li class="${escaped(warning.kind)}"><b>${escaped(titles[warning.kind] || warning.kind)}</b>` +
              `<code>${escaped(warning.subject)}</code> ${escaped(warning.text)} ` +
              `<span class="advice">${coded(warning.advice)} ${page}</span>${show}</li>`;
          }).join('') + (data.warnings.length > 20 ? `<li>${data.warnings.length - 20} more</li>` : '');
          if (list.last !== html) { list.innerHTML = html; list.last = html; }
        }

        function matches(group, words) {
          if (!words) return true;
          const text = [group.operators, group.site || [], (group.places || []).filter(Boolean), (group.queues || []).map(queue => queue.scheduler)].flat().join(' ');
          return text.toLowerCase().includes(words);
        }

        // Each chain is a row, left to right, from the source to the subscriber. The chains that feed a chain are to
        // its left.
        const unit = 7.3, smallUnit = 6.7, height = 38, gap = 28, row = 74;
        // The file name and line of an operator, shortened to the last 25 characters.
        const fileOf = place => { const file = (place || '').split('/').pop(); return file.length > 26 ? '…' + file.slice(-25) : file; };
        function drawGraph(data) {
          const words = $('search').value.trim().toLowerCase();
          const byID = new Map(data.groups.map(group => [group.id, group]));
          let kept = new Set();
          for (const group of data.groups) {
            if (!matches(group, words)) continue;
            for (let next = group; next && !kept.has(next.id); next = byID.get(next.parent)) kept.add(next.id);
          }
          const groups = data.groups.filter(group => kept.has(group.id));
          const below = new Map();
          for (const group of groups) {
            const parent = byID.has(group.parent) ? group.parent : null;
            below.set(parent, (below.get(parent) || []).concat(group));
          }
          const warned = new Set(data.warnings.map(warning => warning.group).filter(id => id !== undefined));
          const place = new Map(), edges = [], nodes = [];
          let bottom = 18, right = 0;

          const widths = group => (group.operators.length ? group.operators : ['subscription'])
            .map((name, index) => Math.max(44, name.length * unit + 18, fileOf((group.places || [])[index]).length * smallUnit + 18));
          // Places a chain and the chains that feed it. Uses an explicit stack, because chains may be nested deeply.
          function put(root) {
            const stack = [{ group: root, isDone: false }];
            while (stack.length) {
              const item = stack.pop(), inner = below.get(item.group.id) || [];
              if (!item.isDone) {
                stack.push({ group: item.group, isDone: true });
                for (const each of inner.slice().reverse()) stack.push({ group: each, isDone: false });
                continue;
              }
              const places = inner.map(each => place.get(each.id));
              const x = places.length ? Math.max(...places.map(each => each.end)) + 74 : 14;
              let y = bottom;
              if (places.length) y = (places[0].y + places[places.length - 1].y) / 2;
              else bottom += row;
              const boxes = widths(item.group);
              let end = x;
              const xs = boxes.map(width => { const start = end; end += width + gap; return start; });
              place.set(item.group.id, { x, y, xs, boxes, end: end - gap + 22 });
            }
          }
          for (const root of below.get(null) || []) put(root);

          for (const group of groups) {
            const spot = place.get(group.id), y = spot.y + height / 2;
            const flows = (group.rate || 0) > 0 || group.beginRate > 0;
            const names = group.operators.length ? group.operators : ['subscription'];
            const queues = (group.queues || []).slice().reverse();
            let html = '';
            for (let index = 0; index < names.length; index++) {
              const x = spot.xs[index], width = spot.boxes[index], file = fileOf((group.places || [])[index]);
              if (index > 0) edges.push(`<path class="${flows ? 'flows' : ''}" d="M${x - gap} ${y}H${x}" marker-end="url(#tip)"/>`);
              html += `<rect class="box" x="${x}" y="${spot.y}" width="${width}" height="${height}" rx="5"/>` +
                `<text x="${x + 9}" y="${spot.y + (file ? 16 : 23)}">${escaped(names[index])}</text>` +
                (file ? `<text class="small" x="${x + 9}" y="${spot.y + 30}">${escaped(file)}</text>` : '');
              const queue = takeQueue(queues, names[index], index === 0);
              if (queue) {
                const kind = queue.pausing ? ' pausing' : '';
                const share = queue.bound ? Math.min(1, queue.deepest / queue.bound) : queue.depth ? 0.5 : 0;
                const fill = queue.pausing ? Math.max(share, .02) : share;
                html += `<rect class="queue" x="${x}" y="${spot.y + height + 3}" width="${width}" height="4" rx="2"/>` +
                  `<rect class="fill${kind}" x="${x}" y="${spot.y + height + 3}" width="${width * fill}" height="4" rx="2"/>` +
                  `<text class="small${kind}" x="${x}" y="${spot.y + height + 19}">${short(queue.depth)}` +
                  `${queue.bound ? '/' + short(queue.bound * group.count) : ''} ${escaped(queue.scheduler)}` +
                  `${queue.pausing ? ' · paused' : ''}</text>`;
              }
            }
            const badge = group.count > 1 ? ` ×${short(group.count)}` : '';
            const grows = group.growth > 0 ? ` +${short(group.growth)}` : '';
            if (!group.inner) {
              const x = spot.end;
              edges.push(`<path class="${flows ? 'flows' : ''}" d="M${x - 22} ${y}H${x - 5}"/>` +
                `<circle class="${flows ? 'flows' : ''}" cx="${x}" cy="${y}" r="5"/>`);
              html += `<text class="${flows ? 'rate' : 'small'}" x="${x + 12}" y="${y + 4}">${short(group.rate || 0)}/s` +
                `${badge}${grows}</text>`;
              const site = placeOf(group);
              if (site) html += `<text class="small" x="${x + 12}" y="${y + 19}">${escaped(brief(site))}</text>`;
              right = Math.max(right, x + 12 + Math.max(120, site ? brief(site).length * 6.7 : 0));
            }
            const notes = (group.inner ? (badge + grows).trim() + ' ' : '') +
              (group.failed ? `<tspan class="errors">${errors(group)}</tspan>` : '');
            if (notes.trim()) html += `<text class="small" x="${spot.xs[0]}" y="${spot.y - 5}">${notes}</text>`;
            const parent = byID.get(group.parent), target = parent && place.get(parent.id);
            if (target) {
              const from = spot.end - 22, to = target.xs[0], level = target.y + height / 2, middle = (from + to) / 2;
              const isPaused = parent.pausing && group.inner;
              // With several inner groups, it is not known in which group the errors were.
              const fails = parent.failureRate > 0 &&
                data.groups.filter(each => each.inner && each.parent === parent.id).length === 1;
              const kind = !group.inner ? 'made' : isPaused ? 'pausing' : fails ? 'failing'
                : parent.rate > 0 || parent.beginRate > 0 ? 'flows' : '';
              edges.push(`<path class="${kind}" data-from="${escaped(group.id)}" data-to="${escaped(parent.id)}" ` +
                `d="M${from} ${y}C${middle} ${y} ${middle} ${level} ${to} ${level}" marker-end="url(#tip)"/>`);
              if (group.inner && parent.beginRate > 0 && group === (below.get(parent.id) || [])[0]) {
                edges.push(`<text class="small" x="${from + 6}" y="${y - 7}">${short(parent.beginRate)} new/s</text>`);
              }
              right = Math.max(right, to);
            }
            const kind = (warned.has(group.id) ? ' warned' : '') + (group.id === chosen ? ' chosen' : '');
            nodes.push(`<g class="node${kind}" data-group="${escaped(group.id)}" tabindex="0" role="button" ` +
              `aria-label="${escaped(chain(group))}, ${escaped(group.count)}"><title>${escaped((group.site || []).slice(0, 6).join('\n'))}` +
              `</title>${html}</g>`);
          }
          for (const group of groups) {
            for (const cause of group.causes || []) {
              const from = place.get(cause), to = place.get(group.id);
              if (!from || !to) continue;
              const y = from.y + height / 2, level = to.y + height, x = from.end + 5;
              edges.push(`<path class="cause" d="M${x} ${y + 6}C${x + 24} ${y + 46} ${to.x - 30} ${level + 40} ` +
                `${to.x + 8} ${level + 9}" marker-end="url(#cause)"/>`);
            }
          }
          const hidden = data.totals.omittedGroups;
          $('shown').textContent = (words ? groups.length + ' of ' : '') + data.totals.groups + ' groups' +
            (hidden ? ', ' + hidden + ' with ' + short(data.totals.omitted) + ' subscriptions left out' : '');
          $('graph').innerHTML = !groups.length
            ? `<p class="none">${words ? 'Nothing matches.' : 'No live subscriptions.'}</p>`
            : `<svg width="${Math.ceil(right + 20)}" height="${bottom + 8}" role="group" aria-label="Subscriptions">` +
              '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" ' +
              'markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z" style="fill:var(--edge);stroke:none"/></marker>' +
              '<marker id="cause" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto" ' +
              'markerUnits="userSpaceOnUse"><path d="M0 0L8 4L0 8z" style="fill:var(--cause);stroke:none"/></marker></defs>' +
              edges.join('') + nodes.join('') + '</svg>';
        }

        // The innermost frames of a call site are in the library, so they are the same in most groups. The first frame
        // that is not frequent is shown.
        let frequent = new Map();
        function countFrames(data) {
          frequent = new Map();
          const sites = data.groups.map(group => group.site).filter(Boolean);
          for (const site of sites) for (const frame of new Set(site)) frequent.set(frame, (frequent.get(frame) || 0) + 1);
          frequent.most = Math.max(1, sites.length / 2);
        }
        const placeOf = group => (group.site || []).find(frame => frequent.get(frame) <= frequent.most) || (group.site || [])[0];
        // The last part of a long call site.
        const brief = site => site.length > 48 ? '…' + site.slice(-47) : site;

        function drawDetail(data) {
          const group = data.groups.find(each => each.id === chosen), detail = $('detail');
          detail.hidden = !group;
          if (!group) return;
          const rows = [
            ['subscriptions', group.count + (group.growth > 0 ? ', ' + group.growth + ' more and none ended' : '')],
            ['age', span(group.newest) + (group.count > 1 ? ' to ' + span(group.oldest) : '')],
            group.inner ? null : ['elements', group.events + ', ' + short(group.rate) + ' per second'],
            group.began ? ['inner', group.alive + ' of ' + group.began + ' live, ' + short(group.beginRate) + ' new per second'] : null,
            group.failed ? ['errors', 'of inner sequences: ' + errors(group)] : null,
            ...(group.queues || []).map(queue => ['queue', queue.depth + ' waiting for ' + queue.scheduler +
              (queue.bound ? ', bound ' + queue.bound + (group.count > 1 ? ' each, the fullest has ' + queue.deepest : '') : ', no bound') +
              (queue.pausing ? ', ' + queue.pausing + ' paused' : '')]),
            ['first', '#' + group.first],
          ].filter(Boolean);
          detail.innerHTML = `<div class="head" style="padding:0;border:0"><b class="mono">${escaped(chain(group))}</b>` +
            '<span class="grow"></span><button id="close">Close</button></div>' +
            `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>` +
            (group.places ? `<dl>${group.operators.map((name, index) => `<dt class="mono">${escaped(name)}</dt>` +
              `<dd class="mono">${escaped(group.places[index] || 'unknown place')}</dd>`).join('')}</dl>` : '') +
            (group.site ? `<pre class="mono">${escaped(group.site.join('\n'))}</pre>` : '');
        }

        function table(heads, rows, none) {
          if (!rows.length) return `<p class="none">${none}</p>`;
          const head = heads.map(([name, kind]) => `<th class="${kind}">${name}</th>`).join('');
          return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
        }
        const cells = list => list.map(([value, kind]) => `<td class="${kind || ''}">${value}</td>`).join('');

        function drawList(data) {
          const order = $('order').value, value = { oldest: group => group.oldest, growth: group => group.growth,
            rate: group => group.rate || 0, waiting, count: group => group.count }[order];
          const groups = data.groups.filter(group => !group.inner).sort((a, b) => value(b) - value(a)).slice(0, 50);
          $('list').innerHTML = table(
            [['operators', ''], ['place', 'wide'], ['count', 'number'], ['elements/s', 'number'],
             ['waiting', 'number wide'], ['oldest', 'number']],
            groups.map(group => `<tr class="choice${group.id === chosen ? ' chosen' : ''}" data-group="${escaped(group.id)}">` + cells([
              [escaped(chain(group)), 'name'], [escaped(brief(placeOf(group) || '')), 'name wide'],
              [escaped(group.count) + (group.growth > 0 ? ' <b>+' + escaped(group.growth) + '</b>' : ''), 'number'],
              [short(group.rate || 0), 'number'],
              [escaped(waiting(group)) + (group.pausing ? ' paused' : ''), 'number wide' + (group.pausing ? ' pausing' : '')],
              [span(group.oldest), 'number'],
            ]) + '</tr>'), 'No live subscriptions.');
        }

        const fill = each => each.limit === undefined ? short(each.value)
          : `<meter min="0" max="${escaped(each.limit || 1)}" value="${escaped(each.value)}"></meter> ${short(each.value)} / ${short(each.limit)}`;

        function drawTables(data) {
          $('schedulers').innerHTML = table(
            [['name', ''], ['waiting', 'number'], ['most', 'number wide'], ['latency', 'number'], ['longest', 'number']],
            data.schedulers.map(each => '<tr>' + cells([
              [escaped(each.name), 'name'], [short(each.depth), 'number'], [short(each.highWater), 'number wide'],
              [each.latency < 10 ? each.latency.toFixed(1) + ' ms' : span(each.latency), 'number'], [span(each.longest), 'number'],
            ]) + '</tr>'), 'No subscription hops to a scheduler.');
          $('boundaries').innerHTML = table(
            [['operator', ''], ['bound', 'number'], ['live', 'number wide'], ['waiting', 'number'], ['pauses/s', 'number'],
             ['drops', 'number']],
            data.boundaries.map(each => '<tr>' + cells([
              [escaped(each.name), 'name'], [escaped(each.bound === undefined ? 'none' : each.bound), 'number'],
              [escaped(each.live), 'number wide'],
              [short(each.depth), 'number' + (each.bound && each.live && each.depth >= each.bound * each.live ? ' pausing' : '')],
              [short(each.pauseRate), 'number'], [short(each.drops), 'number' + (each.dropRate > 0 ? ' bad' : '')],
            ]) + '</tr>'), data.totals.counting ? 'No bounded queue.' : 'Set Counters.isCounting to see them.');
          $('limits').innerHTML = table([['limit', ''], ['name', ''], ['state', ''], ['use', '']], data.limits.map(each => {
            const isBad = /open/.test(each.state || ''), isFull = each.fills.some(fill => fill.queue && fill.limit && fill.value >= fill.limit);
            return '<tr>' + cells([
              [escaped(each.kind)], [escaped(each.name), 'name'],
              [escaped(each.state || (isFull ? 'full' : '')), isBad ? 'bad' : isFull ? 'pausing' : ''],
              [each.fills.map(one => escaped(one.label) + ' ' + fill(one)).join('<br>')],
            ]) + '</tr>';
          }), 'No breaker, bulkhead or other limit.');
          reports('errors', data.errors, each => `<code>${escaped(each.text || each.type)}</code>` +
            (each.count > 1 ? ` ×${escaped(each.count)}` : '') + `, ${span(each.ago)} ago`,
            each => (each.trail.length ? 'passed ' + each.trail.join(', ') + '\n' : '') +
              (each.stack.length ? 'subscribed at\n' + each.stack.join('\n') : ''), 'No error was recorded.');
          reports('stalls', data.stalls, each => `<code>${escaped(each.scheduler)}</code> blocked for ${span(each.duration)}, ` +
            `${span(each.ago)} ago`, each => each.stack.join('\n'), 'No stall was recorded.');
        }

        // Lists the reports, newest first. Open entries stay open.
        function reports(id, list, title, text, none) {
          const open = new Set([...$(id).querySelectorAll('details[open]')].map(each => each.dataset.index));
          $(id).innerHTML = list.length ? list.map((each, index) => [each, index]).reverse().slice(0, 20).map(([each, index]) => {
            const body = text(each);
            return `<details data-index="${index}"${open.has(String(index)) ? ' open' : ''}><summary>${title(each)}</summary>` +
              `<pre class="mono">${escaped(body || 'Nothing more is known.')}</pre></details>`;
          }).join('') : `<p class="none">${none}</p>`;
        }

        // Commands

        function choose(id) {
          chosen = chosen === id ? null : id;
          if (shown) { drawGraph(shown); drawDetail(shown); drawList(shown); }
        }
        document.addEventListener('click', event => {
          if (event.target.closest('#close')) { choose(chosen); return; }
          const target = event.target.closest('[data-group]');
          if (!target) return;
          const id = Number(target.dataset.group);
          if (target.tagName === 'BUTTON') { chosen = null; $('search').value = ''; }
          choose(id);
          if (target.tagName === 'BUTTON') {
            const node = document.querySelector(`.node[data-group="${id}"]`);
            if (node) node.scrollIntoView({ block: 'center', inline: 'start' });
          }
        });
        document.addEventListener('keydown', event => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          const target = event.target.closest('.node');
          if (target) { event.preventDefault(); choose(Number(target.dataset.group)); }
        });
        $('search').oninput = () => { if (shown) drawGraph(shown); };
        $('order').onchange = () => { if (shown) drawList(shown); };
        $('hold').onclick = () => {
          if (mode === 'live') mode = 'back';
          else {
            if (mode === 'file') { frames = []; bytes = 0; }
            mode = 'live';
            at = frames.length - 1;
          }
          draw(false);
        };
        $('slider').oninput = () => {
          at = Number($('slider').value);
          if (mode === 'live') mode = 'back';
          draw(false);
        };
        $('save').onclick = () => {
          const text = `{"rxInspectorRecording":${version},"frames":[${frames.map(frame => frame.text).join(',\n')}]}`;
          const link = document.createElement('a'), name = (shown ? shown.title : 'program').replace(/[^\w.-]+/g, '-');
          link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
          link.download = `inspector-${name}-${new Date(frames[frames.length - 1].time).toISOString().slice(0, 19).replace(/:/g, '')}.json`;
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        };
        $('open').onchange = async () => {
          const file = $('open').files[0];
          if (!file) return;
          try {
            load(await file.text());
          } catch (error) {
            $('state').textContent = 'not a recording: ' + error.message;
            $('state').className = 'state lost';
          }
          $('open').value = '';
        };
        function load(text) {
          const recording = JSON.parse(text);
          if (recording.rxInspectorRecording !== version || !Array.isArray(recording.frames) || !recording.frames.length) {
            throw new Error('it has another format');
          }
          frames = recording.frames.map(frame => ({ time: frame.time, text: JSON.stringify(frame) }));
          bytes = 0;
          mode = 'file';
          chosen = null;
          at = frames.length - 1;
          draw(true);
        }
        connect();
        drawState();
        </script>
        </body>
        </html>

        """#
}
