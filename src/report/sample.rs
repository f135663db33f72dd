//! Outcomes to test reports with.

use crate::finding::{Confidence, Finding, Label, Level};
use crate::fix::{Edit, Fix, Safety};
use crate::lint::{NotChecked, Outcome, Summary};
use crate::source::Source;
use crate::span::{SourceId, Span};

const WEB: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: app # größer 🙂
          image: \"ghcr.io/🙂/shop-web:1.4\"
          ports:
            - containerPort: 8080
          livenessProbe:
            httpGet:
              path: /health/database
              port: 8080
            periodSeconds: 10
            successThreshold: 3
            timeoutSeconds: 1
---
# The Service of the workload above.
# Its port is not the container's.
# Forty lines of comments may stand here.
#
#
#
#
#
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  ports:
    - port: 80
      targetPort: 8081
";

const SETTINGS: &str = "spring:\r\n  datasource:\r\n    url: \
        jdbc:postgresql://db/größe\r\nmanagement:\r\n  health:\r\n    db:\r\n      enabled: true\r\n";

fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap() as u32;
    Span::new(start, start + part.len() as u32)
}

/// Two sources, four findings: labels far away and in another source, fixes of both kinds, text of every width.
pub(super) fn outcome() -> Outcome {
    let web = WEB.to_owned();
    let value = span(&web, "successThreshold: 3");
    let value = Span::new(value.end - 1, value.end);
    let field = "spec.template.spec.containers[0].livenessProbe";
    let blank = Finding {
        rule: "success-threshold-not-one",
        level: Level::Error,
        confidence: Confidence::High,
        source: SourceId(0),
        span: value,
        document: 0,
        subject: "Deployment/shop/web > app > livenessProbe".into(),
        field_path: format!("{field}.successThreshold"),
        message: String::new(),
        why: String::new(),
        help: String::new(),
        labels: Vec::new(),
        fix: None,
    };
    let findings = vec![
        Finding {
            message: "`livenessProbe` of container `app` has a `successThreshold` of 3".into(),
            why: "the API server rejects the whole object: a liveness probe must \
        succeed after one success, so nothing of this file is rolled out"
                .into(),
            help: "set it to 1 or leave it out".into(),
            labels: vec![Label {
                source: SourceId(0),
                span: span(&web, "livenessProbe"),
                text: "only readiness may ask \
        for more than one success"
                    .into(),
            }],
            fix: Some(Fix {
                title: "set `successThreshold` to 1".into(),
                safety: Safety::Safe,
                edits: vec![Edit { span: value, text: "1".into() }],
            }),
            ..blank.clone()
        },
        Finding {
            rule: "liveness-checks-dependency",
            level: Level::Warning,
            confidence: Confidence::Medium,
            span: span(&web, "/health/database"),
            field_path: format!("{field}.httpGet.path"),
            message: "`livenessProbe` of container `app` asks the database".into(),
            why: "when the database is down for 30 s, the kubelet \
        restarts every replica, and they find it down again"
                .into(),
            help: "ask an endpoint that answers for the process alone, for example `/livez`".into(),
            labels: vec![
                Label {
                    source: SourceId(1),
                    span: span(SETTINGS, "enabled: true"),
                    text: "the health endpoint \
        includes the database here"
                        .into(),
                },
                Label {
                    source: SourceId(0),
                    span: span(&web, "livenessProbe"),
                    text: "restarts the container when it fails".into(),
                },
                Label {
                    source: SourceId(1),
                    span: span(SETTINGS, "jdbc:postgresql://db/größe"),
                    text: "the database".into(),
                },
            ],
            fix: Some(Fix {
                title: "ask `/livez` and give it 5 s".into(),
                safety: Safety::Unsafe,
                edits: vec![
                    Edit { span: span(&web, "/health/database"), text: "/livez".into() },
                    Edit {
                        span: Span::at(span(&web, "timeoutSeconds: 1").start),
                        text: "failureThreshold: 5\n            ".into(),
                    },
                ],
            }),
            ..blank.clone()
        },
        Finding {
            rule: "liveness-checks-dependency",
            level: Level::Warning,
            confidence: Confidence::Low,
            span: span(&web, "\"ghcr.io/🙂/shop-web:1.4\""),
            field_path: "spec.template.spec.containers[0].image".into(),
            subject: String::new(),
            message: "the Service sends to a port that the container does not open".into(),
            labels: vec![Label {
                source: SourceId(0),
                span: span(&web, "targetPort: 8081"),
                text: "requests go to this port".into(),
            }],
            ..blank.clone()
        },
        Finding {
            rule: "missing-readiness-probe",
            level: Level::Advice,
            source: SourceId(1),
            span: span(SETTINGS, "größe"),
            subject: "Deployment/shop/größe > app".into(),
            field_path: String::new(),
            message: "container `app` has no `readinessProbe`".into(),
            why: "requests reach it while it starts".into(),
            ..blank
        },
    ];
    Outcome {
        sources: vec![Source::new("deploy/web.yaml", web), Source::new("src/main/resources/größe 1.yaml", SETTINGS)],
        models: Vec::new(),
        findings,
        summary: Summary {
            files: 2,
            documents: 3,
            workloads: 2,
            containers: 2,
            probes: 4,
            not_checked: vec![
                NotChecked { what: "Helm template", count: 4, paths: Vec::new() },
                NotChecked { what: "broken document", count: 1, paths: Vec::new() },
            ],
            suppressed: 1,
            hidden_advice: 3,
        },
        unread: Vec::new(),
    }
}

/// An outcome whose places need not make sense; the same for the same seed.
pub(super) fn random(seed: u64) -> Outcome {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let pieces =
        ["a", "é", "🙂", "\r\n", "\n", "\r", "\t", " ", "key: value", "日本", "\u{feff}", "\x1b[31m", "\u{301}"];
    let sources = (0..2)
        .map(|number| {
            let mut text: String = if random.below(4) == 0 { "\u{feff}".into() } else { String::new() };
            for _ in 0..random.below(60) {
                text += pieces[random.below(pieces.len() as u32) as usize];
            }
            if random.below(8) == 0 {
                text = text.replace(['\r', '\n'], "").repeat(20);
            }
            Source::new(format!("dir/{number}\n.yaml"), text)
        })
        .collect();
    let template = outcome().findings.remove(1);
    let findings = (0..3)
        .map(|_| {
            let mut finding = template.clone();
            finding.source = SourceId(random.below(3));
            finding.span = random.span();
            finding.message = pieces[random.below(13) as usize].repeat(random.below(5) as usize);
            for label in &mut finding.labels {
                label.source = SourceId(random.below(3));
                label.span = random.span();
                label.text = pieces[random.below(13) as usize].repeat(random.below(9) as usize);
            }
            for edit in finding.fix.iter_mut().flat_map(|fix| &mut fix.edits) {
                edit.span = random.span();
                edit.text = pieces[random.below(13) as usize].repeat(random.below(4) as usize);
            }
            finding
        })
        .collect();
    Outcome { sources, findings, ..Outcome::default() }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    fn span(&mut self) -> Span {
        let limit = if self.below(4) == 0 { 3000 } else { 120 };
        Span::new(self.below(limit), self.below(limit))
    }
}
